//go:build !js

package plugin

import (
	"strconv"

	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"

	"github.com/stormlint/stormlint/core/stat"
	"github.com/stormlint/stormlint/wasm/filter/door"
	"github.com/stormlint/stormlint/wasm/filter/watch"
)

// stage is how far a stream has come.
type stage uint8

const (
	passing stage = iota // no handshake: nothing is done for it
	asked                // a handshake was let in and is not answered yet
	open                 // a session runs
	over
)

// stream is one request and, where it becomes one, its tunnel.
type stream struct {
	types.DefaultHttpContext
	plugin    *plugin
	stage     stage
	logged    bool
	ended     bool   // the host has said so
	id        uint64 // of the client; 0 for nobody knows
	handshake watch.Handshake
	provoked  provoked
}

// OnHttpRequestHeaders decides.
func (s *stream) OnHttpRequestHeaders(int, bool) (action types.Action) {
	defer s.plugin.recover("request headers")
	s.provoked.at("request")
	p := s.plugin
	if p.door == nil || !maybe() {
		return types.ActionContinue
	}
	headers, ok := requestHeaders(p.wanted, p.headers)
	p.headers = headers
	defer clear(headers) // they hold what the host gave, which may be long
	if !ok {
		p.meters.add(unread, 1)
		return types.ActionContinue
	}
	r := p.door.Read(headers)
	if !r.Handshake {
		return types.ActionContinue
	}
	v := p.door.Judge(&r, property("source\x00address"), p.clocks.steady())
	p.count(&v)
	s.begin(&r, &v)
	if p.watch != nil {
		p.watch.Saw(v.ID, !v.Allowed, s.handshake.Begin)
	}
	if v.Outcome != door.Refused {
		s.stage = asked
		return types.ActionContinue
	}
	a := p.door.Answer(&v)
	p.fields = appendPairs(p.fields[:0], a.Headers)
	if !respond(a.Status, p.fields, a.Body) {
		p.meters.add(unread, 1)
		s.stage = asked
		return types.ActionContinue // it could not be refused, so it passes
	}
	s.stage = over
	s.handshake.Status, s.handshake.Limited = int(a.Status), true
	s.answered()
	return types.ActionPause
}

// maybe looks at the one or two headers that a handshake must have, so that other requests cost next to nothing.
func maybe() bool {
	if _, ok := requestHeader("upgrade"); ok {
		return true
	}
	_, ok := requestHeader(":protocol")
	return ok
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
		h.Set(p.fields, r.UserAgent, r.Path, r.Host)
	}
}

// OnHttpResponseHeaders sees the answer.
func (s *stream) OnHttpResponseHeaders(int, bool) types.Action {
	defer s.plugin.recover("response headers")
	if s.stage != asked {
		return types.ActionContinue
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
	return types.ActionContinue
}

// OnHttpStreamDone sees the end: of a session, or of a handshake that nobody answered.
func (s *stream) OnHttpStreamDone() {
	defer s.plugin.recover("done")
	if s.stage != passing {
		s.provoked.at("done")
	}
	switch s.stage {
	case asked:
		s.stage = over
		s.answered()
	case open:
		s.stage = over
		s.closed()
	}
	s.plugin.done(s)
}

func (s *stream) answered() {
	h := &s.handshake
	h.End = s.plugin.clocks.wall()
	if s.logged {
		say(s.plugin.writer.Attempt(h))
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
	h.ClosedBy, h.Late, h.Cause = ending(h.H2)
	if s.logged {
		say(s.plugin.writer.Close(h))
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
