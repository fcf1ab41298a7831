//go:build !js

// Package plugin is the seam between proxy-wasm and the filter: callbacks in, host calls out. What is decided and watched
// is in packages door and watch, which know nothing of it.
//
// A panic in a filter is a reconnect storm of its own: Envoy answers 503 and closes all open tunnels of that worker,
// whatever the failure policy. So every callback recovers, counts the fault, and lets the request pass.
package plugin

import (
	"bytes"
	"math/rand/v2"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/wasm/filter/door"
	"github.com/stormlint/stormlint/wasm/filter/setting"
	"github.com/stormlint/stormlint/wasm/filter/watch"
)

// period is how often a worker hands in what it has watched.
const period = time.Second

// clocks are told to what decides; tests tell other ones.
type clocks struct {
	steady func() int64 // does not step; limits are counted on it
	wall   func() int64 // ns since 1970; lines are stamped with it
	random func() uint64
}

func hosts() clocks {
	return clocks{steady: monotonic, wall: wall, random: rand.Uint64}
}

// plugin is one configuration in one worker.
type plugin struct {
	clocks   clocks
	settings *setting.Settings
	door     *door.Door
	meters   *meters
	writer   watch.Writer
	masks    watch.Masks
	lines    lines
	ticks    bool         // the host has a timer
	watch    *watch.Watch // nil: not asked for
	spoken   int64        // when a fault was last logged, by the steady clock
	refused  [bucket.Fleet + 1]int

	wanted  uint64      // lengths of the names of headers that matter
	headers [][2]string // of the request at hand
	fields  []byte      // of an answer
	idle    []*stream   // that have ended, to be used again
}

// configure reads the configuration; a bad one, for which it is false, keeps Envoy from starting.
func (p *plugin) configure(size int) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			p.fault("configure", r)
			ok = false
		}
	}()
	var text []byte
	if size > 0 {
		given, ok := configuration(size)
		if !ok {
			log(critical, "stormlint: the configuration cannot be had")
			return false
		}
		text = bytes.Clone(given)
	}
	s, err := setting.Parse(text)
	if err != nil {
		log(critical, "stormlint: bad configuration: "+err.Error())
		return false
	}
	var shared door.Shared
	if s.Process {
		shared = hostData{}
	}
	d, err := door.New(s, shared, p.clocks.random)
	if err != nil {
		log(critical, "stormlint: bad configuration: "+err.Error())
		return false
	}
	p.settings, p.door, p.meters, p.wanted = s, d, newMeters(), d.Wanted()
	if !d.Process() {
		shared = nil
	}
	if s.Watch {
		p.watch = watch.New(shared, s.Share)
	}
	if s.Process && !d.Process() {
		p.meters.add(fallback, 1)
		log(warn, "stormlint: this host has no shared data: each worker has limits of its own")
	}
	if p.ticks = timer(uint32(period / time.Millisecond)); !p.ticks {
		log(warn, "stormlint: this host has no timer")
	}
	return true
}

// tick hands in what was watched, and speaks once a second of refusals, not one by one: a storm must not become a storm
// of log lines.
func (p *plugin) tick() {
	defer p.recover("tick")
	provokeTick()
	if p.settings == nil {
		return
	}
	p.lines.write()
	p.summary()
	if p.watch == nil {
		return
	}
	line, state := p.watch.Tick(p.clocks.wall())
	p.meters.add(lost, p.watch.Lost())
	if line != nil {
		say(line)
		p.meters.show(&state)
	}
}

// stream is a new one, or one that has ended.
func (p *plugin) stream() *stream {
	n := len(p.idle)
	if n == 0 {
		return &stream{plugin: p}
	}
	s := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return s
}

// mostIdle is how many ended streams are kept for later ones; a storm ends more at once.
const mostIdle = 256

// done takes a stream back after its end.
func (p *plugin) done(s *stream) {
	s.handshake.Reset()
	*s = stream{plugin: p, handshake: watch.Handshake{Text: s.handshake.Text}}
	if len(p.idle) < mostIdle {
		p.idle = append(p.idle, s)
	}
}

// recover is deferred by every callback.
func (p *plugin) recover(callback string) {
	if r := recover(); r != nil {
		p.fault(callback, r)
	}
}

// fault counts a fault and logs one a minute. It must not fail itself.
func (p *plugin) fault(callback string, r any) {
	defer func() { _ = recover() }()
	if p.meters != nil {
		p.meters.add(faults, 1)
	}
	now := p.clocks.steady()
	if p.spoken != 0 && now-p.spoken < int64(time.Minute) && now >= p.spoken {
		return
	}
	p.spoken = max(now, 1)
	text := "unknown"
	switch x := r.(type) {
	case error:
		text = x.Error()
	case string:
		text = x
	}
	log(failure, "stormlint: a fault of the filter, the request passes: "+callback+": "+text)
}
