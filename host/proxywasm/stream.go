package proxywasm

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// stream is one request, on one VM, to its end.
type stream struct {
	host     *Host
	slot     *slot
	vm       *vm // the one that knows it; another in the slot means that this one has died
	id       uint32
	peer     string
	request  [][2]string
	response [][2]string
	local    *answer
	answered bool
}

type answer struct {
	status  int
	headers [][2]string
	body    []byte
}

func (s *stream) pairs(kind uint32) [][2]string {
	switch {
	case s == nil:
		return nil
	case kind == 0:
		return s.request
	case kind == 2:
		return s.response
	}
	return nil
}

// Wrap puts the filter before a handler.
func (h *Host) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &stream{host: h, slot: &h.slots[h.next.Add(1)%uint32(len(h.slots))], peer: r.RemoteAddr, request: pairs(r)}
		if a := s.begin(r.Context()); a != nil {
			header := w.Header()
			for _, p := range a.headers {
				header.Add(p[0], p[1])
			}
			if r.ProtoMajor == 1 {
				header.Set("Connection", "close") // as Envoy does with every answer to an upgrade that is none
			}
			w.WriteHeader(a.status)
			w.Write(a.body)
			s.end(r.Context())
			return
		}
		defer s.end(r.Context())
		next.ServeHTTP(&writer{ResponseWriter: w, s: s, ctx: r.Context()}, r)
	})
}

// pairs are a request's headers as a filter sees them.
func pairs(r *http.Request) [][2]string {
	list := make([][2]string, 0, 4+len(r.Header))
	list = append(list, [2]string{":authority", r.Host}, [2]string{":path", r.URL.RequestURI()}, [2]string{":method", r.Method}, [2]string{":scheme", "http"})
	for name, values := range r.Header {
		lower := lowered[name]
		if lower == "" {
			lower = strings.ToLower(name)
		}
		for _, v := range values {
			list = append(list, [2]string{lower, v})
		}
	}
	return list
}

// lowered are the names of the headers that most requests have, as filters see them.
var lowered = lower("accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "cookie", "origin", "pragma", "sec-websocket-extensions",
	"sec-websocket-key", "sec-websocket-protocol", "sec-websocket-version", "upgrade", "user-agent", "x-forwarded-for", "x-forwarded-proto", "x-request-id")

func lower(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for _, name := range names {
		m[http.CanonicalHeaderKey(name)] = name
	}
	return m
}

// on calls the stream's VM, if it still lives.
func (s *stream) on(ctx context.Context, f func(v *vm) error) {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	if s.vm == nil || s.slot.vm != s.vm {
		return
	}
	s.vm.stream = s
	err := f(s.vm)
	s.vm.stream = nil
	s.slot.settle(ctx, err)
}

// begin asks the filter; an answer is its own and ends the request.
func (s *stream) begin(ctx context.Context) *answer {
	s.slot.mu.Lock()
	if !s.slot.ready(ctx, s.host) {
		s.slot.mu.Unlock()
		s.host.passed.Add(1)
		return nil
	}
	s.vm = s.slot.vm
	s.vm.last++
	s.id = s.vm.last
	s.slot.mu.Unlock()
	lived := false
	s.on(ctx, func(v *vm) error {
		err := v.call(ctx, "proxy_on_context_create", uint64(s.id), root)
		if err == nil {
			err = s.crash("request")
		}
		if err == nil {
			_, err = v.ask(ctx, "proxy_on_request_headers", uint64(s.id), uint64(len(s.request)), 0)
		}
		lived = err == nil
		if lived {
			s.slot.pause = 0
		}
		return err
	})
	if !lived {
		s.host.passed.Add(1)
		return nil
	}
	return s.local
}

func (s *stream) crash(callback string) error {
	if f := s.host.options.Faults.Crash; f != nil && f(callback) {
		return errCrash
	}
	return nil
}

type crashError struct{}

func (crashError) Error() string { return "proxywasm: crashed on demand" }

var errCrash = crashError{}

// answer shows the filter the status of the answer, once.
func (s *stream) answer(ctx context.Context, code int) {
	if s.answered {
		return
	}
	s.answered = true
	s.response = [][2]string{{":status", strconv.Itoa(code)}}
	s.on(ctx, func(v *vm) error {
		if err := s.crash("response"); err != nil {
			return err
		}
		return v.call(ctx, "proxy_on_response_headers", uint64(s.id), 1, 0)
	})
}

// end tells the filter that the request, or its tunnel, is over.
func (s *stream) end(ctx context.Context) {
	s.on(ctx, func(v *vm) error {
		err := v.call(ctx, "proxy_on_done", uint64(s.id))
		if err == nil {
			err = v.call(ctx, "proxy_on_log", uint64(s.id))
		}
		if err == nil {
			err = v.call(ctx, "proxy_on_delete", uint64(s.id))
		}
		return err
	})
}

// writer sees the status that a handler answers; a hijacked connection is an upgrade.
type writer struct {
	http.ResponseWriter
	s   *stream
	ctx context.Context
}

// WriteHeader shows the filter a final status.
func (w *writer) WriteHeader(code int) {
	if code == http.StatusSwitchingProtocols || code >= 200 {
		w.s.answer(w.ctx, code)
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write is an answer of 200 where there was none.
func (w *writer) Write(b []byte) (int, error) {
	w.s.answer(w.ctx, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Hijack gives the connection to whoever upgrades it.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.s.answer(w.ctx, http.StatusSwitchingProtocols)
	}
	return c, rw, err
}

// Flush sends what is written.
func (w *writer) Flush() { http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap gives http.ResponseController the writer inside.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
