//go:build !js

package plugin

import (
	"strconv"

	"github.com/stormlint/stormlint/core/stat"
	"github.com/stormlint/stormlint/wasm/filter/door"
	"github.com/stormlint/stormlint/wasm/filter/watch"
)

// stage is how far a stream has come.
type stage uint8

const (
	asked stage = iota // a handshake was let in and is not answered yet
	open               // a session runs
	over
)

// stream is one handshake and, where it becomes one, its tunnel.
type stream struct {
	plugin    *plugin
	stage     stage
	logged    bool
	id        uint64 // of the client; 0 for nobody knows
	handshake watch.Handshake
	provoked  provoked
}

// request decides over the request at hand: a stream if it is a handshake, and whether it has been answered. After a fault
// it is none, and passes.
func (p *plugin) request() (s *stream, answered bool) {
	defer p.recover("request headers")
	var f provoked
	f.at("request")
	if p.door == nil {
		return nil, false
	}
	headers, ok := requestHeaders(p.wanted, p.headers)
	p.headers = headers
	if !ok {
		p.meters.add(unread, 1)
		return nil, false
	}
	r := p.door.Read(headers)
	if !r.Handshake {
		return nil, false
	}
	peer := ""
	if p.door.Asks(&r) {
		peer = property("source\x00address")
	}
	v := p.door.Judge(&r, peer, p.clocks.steady())
	p.count(&v)
	h := p.stream()
	h.provoked = f
	h.begin(&r, &v)
	if p.watch != nil {
		p.watch.Saw(v.ID, !v.Allowed, h.handshake.Begin)
	}
	if v.Outcome != door.Refused {
		return h, false
	}
	a := p.door.Answer(&v)
	p.fields = appendPairs(p.fields[:0], a.Headers)
	if !respond(a.Status, p.fields, a.Body) {
		p.meters.add(unread, 1)
		return h, false // it could not be refused, so it passes
	}
	h.stage = over
	h.handshake.Status, h.handshake.Limited = int(a.Status), true
	h.answered()
	return h, true
}

func (s *stream) begin(r *door.Request, v *door.Verdict) {
	p := s.plugin
	s.id = v.ID
	h := &s.handshake
	h.Begin, h.H2 = p.clocks.wall(), r.H2
	// By client, not by line: of a client that is logged, all is.
	s.logged = p.settings.Log > 0 && stat.Unit(v.ID*0x9e3779b97f4a7c15) < p.settings.Log
	if s.logged {
		h.Peer, h.Header = !v.Client.IsZero() && len(p.settings.Proxies) == 0, v.Header
		h.Conn = p.clocks.random()
		p.fields = v.AppendKey(p.fields[:0])
		h.Set(p.fields, r.UserAgent, r.Path, r.Host, &p.masks)
	}
}

// answer sees the answer.
func (s *stream) answer() {
	defer s.plugin.recover("response headers")
	if s.stage != asked {
		return
	}
	s.provoked.at("response")
	text, _ := responseHeader(":status")
	s.handshake.Status, _ = strconv.Atoi(text)
	s.handshake.Session = s.handshake.Status == 101 || s.handshake.H2 && s.handshake.Status/100 == 2
	s.stage = over
	if s.handshake.Session {
		s.stage = open
	}
	s.answered()
}

// end sees the end: of a session, or of a handshake that nobody answered.
func (s *stream) end() {
	defer s.plugin.recover("done")
	s.provoked.at("done")
	switch s.stage {
	case asked:
		s.answered()
	case open:
		s.closed()
	}
	s.plugin.lines.write()
	s.plugin.done(s)
}

func (s *stream) answered() {
	h := &s.handshake
	h.End = s.plugin.clocks.wall()
	if s.logged {
		s.plugin.say(s.plugin.writer.Attempt(h))
	}
	what := watch.Failed
	if h.Session {
		what = watch.Opened
	}
	s.did(what, h.Begin)
}

func (s *stream) closed() {
	h := &s.handshake
	h.End = s.plugin.clocks.wall()
	if w := s.plugin.watch; !s.logged && (w == nil || !w.Follows(s.id, h.End)) {
		return // nobody would hear who ended it
	}
	h.ClosedBy, h.Late, h.Cause = ending(h.H2)
	if s.logged {
		s.plugin.say(s.plugin.writer.Close(h))
	}
	what := watch.Closed
	if h.Late > 0 {
		what = watch.ClosedLate
	}
	s.did(what, h.End)
}

func (s *stream) did(what watch.What, wall int64) {
	if w := s.plugin.watch; w != nil {
		w.Did(s.id, what, wall)
	}
}
