//go:build !js

// Package plugin is the seam between proxy-wasm and the filter: callbacks in, host calls out. What is decided and watched
// is in packages door and watch, which know nothing of it.
//
// A panic in a filter is a reconnect storm of its own: Envoy answers 503 and closes all open tunnels of that worker,
// whatever the failure policy. So every callback recovers, counts the fault, and lets the request pass.
package plugin

import (
	"math/rand/v2"
	"time"

	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/wasm/filter/door"
	"github.com/stormlint/stormlint/wasm/filter/setting"
	"github.com/stormlint/stormlint/wasm/filter/watch"
)

// tick is how often a worker hands in what it has watched.
const tick = time.Second

// clocks are told to what decides; tests tell other ones.
type clocks struct {
	steady func() int64 // does not step; limits are counted on it
	wall   func() int64 // ns since 1970; lines are stamped with it
	random func() uint64
}

func hosts() clocks {
	return clocks{steady: monotonic, wall: wall, random: rand.Uint64}
}

// Context is what a worker starts with.
func Context() types.VMContext { return &vm{clocks: hosts()} }

type vm struct {
	types.DefaultVMContext
	clocks clocks
}

// NewPluginContext is called once for each configuration in a worker.
func (v *vm) NewPluginContext(uint32) types.PluginContext { return &plugin{clocks: v.clocks} }

// plugin is one configuration in one worker.
type plugin struct {
	types.DefaultPluginContext
	clocks   clocks
	settings *setting.Settings
	door     *door.Door
	meters   *meters
	writer   watch.Writer
	watch    *watch.Watch // nil: not asked for
	spoken   int64        // when a fault was last logged, by the steady clock
	refused  [bucket.Fleet + 1]int

	wanted  uint64      // lengths of the names of headers that matter
	headers [][2]string // of the request at hand
	fields  []byte      // of an answer
	idle    []*stream   // that have ended, to be used again
}

// OnPluginStart reads the configuration; a bad one keeps Envoy from starting.
func (p *plugin) OnPluginStart(size int) (status types.OnPluginStartStatus) {
	defer func() {
		if r := recover(); r != nil {
			p.fault("configure", r)
			status = types.OnPluginStartStatusFailed
		}
	}()
	var text []byte
	if size > 0 {
		var err error
		if text, err = proxywasm.GetPluginConfiguration(); err != nil {
			proxywasm.LogCritical("stormlint: the configuration cannot be had: " + err.Error())
			return types.OnPluginStartStatusFailed
		}
	}
	s, err := setting.Parse(text)
	if err != nil {
		proxywasm.LogCritical("stormlint: bad configuration: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	var shared door.Shared
	if s.Process {
		shared = hostData{}
	}
	d, err := door.New(s, shared, p.clocks.random)
	if err != nil {
		proxywasm.LogCritical("stormlint: bad configuration: " + err.Error())
		return types.OnPluginStartStatusFailed
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
		proxywasm.LogWarn("stormlint: this host has no shared data: each worker has limits of its own")
	}
	if err := proxywasm.SetTickPeriodMilliSeconds(uint32(tick / time.Millisecond)); err != nil {
		proxywasm.LogWarn("stormlint: this host has no timer: " + err.Error())
	}
	return types.OnPluginStartStatusOK
}

// OnTick hands in what was watched, and speaks once a second of refusals, not one by one: a storm must not become a storm
// of log lines.
func (p *plugin) OnTick() {
	defer p.recover("tick")
	provokeTick()
	if p.settings == nil {
		return
	}
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

// NewHttpContext is called for each request.
func (p *plugin) NewHttpContext(uint32) types.HttpContext {
	n := len(p.idle)
	if n == 0 {
		return &stream{plugin: p}
	}
	s := p.idle[n-1]
	p.idle, s.ended = p.idle[:n-1], false
	return s
}

// mostIdle is how many ended streams are kept for later ones; a storm ends more at once.
const mostIdle = 256

// done takes a stream back: after its end the host deletes it, and calls nothing of it any more.
func (p *plugin) done(s *stream) {
	if s.ended {
		return
	}
	s.handshake.Reset()
	*s = stream{plugin: p, ended: true, handshake: watch.Handshake{Text: s.handshake.Text}}
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
	proxywasm.LogError("stormlint: a fault of the filter, the request passes: " + callback + ": " + text)
}
