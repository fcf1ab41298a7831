package connlog

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
)

// Paths says which request paths are WebSocket endpoints. A refused handshake looks like any refused request in most
// logs, so only its path can tell: the operator named it (--path), a handshake succeeded there earlier in the input
// (learned by Sniff), or nobody uses it for anything else.
type Paths struct {
	Named   []string // as given; a trailing * matches any rest
	Learned []string // shapes of paths (see Shape) at which a handshake succeeded

	named, learned map[string]bool
	prefixes       []string
	last           [8]answer // the paths asked for last: logs ask for few, again and again
}

type answer struct {
	known Known
	n     uint8 // its length; 0 for none
	path  [48]byte
}

// Known says why a path counts as a WebSocket endpoint.
type Known uint8

// The reasons, weakest first.
const (
	NotKnown   Known = iota
	KnownHint        // the usual name of such an endpoint
	KnownName        // the operator named it
	KnownByUse       // a handshake succeeded there
)

// NewPaths prepares the lookup.
func NewPaths(named, learned []string) *Paths {
	p := &Paths{Named: named, Learned: learned, named: map[string]bool{}, learned: map[string]bool{}}
	for _, s := range named {
		if rest, ok := strings.CutSuffix(s, "*"); ok {
			p.prefixes = append(p.prefixes, rest)
		} else {
			p.named[s] = true
		}
	}
	for _, s := range learned {
		p.learned[s] = true
	}
	return p
}

// endpoints checks what the operator named: a path that no request can have would be looked for in vain, and silently.
func endpoints(named []string) error {
	for _, s := range named {
		rest := strings.TrimSuffix(s, "*")
		if s == "" || rest != "" && rest[0] != '/' || strings.ContainsAny(rest, "*?# ") {
			return fault.Value("connlog", "path", strconv.Quote(s), "the path of a request without its query, such as /ws, or /live* for all that begin so")
		}
	}
	return nil
}

// Has says whether the path, without its query, is an endpoint. It remembers its last answers, so it serves one reader.
func (p *Paths) Has(path []byte) Known {
	if p == nil {
		return p.find(path)
	}
	n := len(path)
	if n == 0 || n > len(answer{}.path) {
		return p.find(path)
	}
	a := &p.last[(n+int(path[n-1])+int(path[n/2])<<1)%len(p.last)]
	if int(a.n) == n && string(a.path[:n]) == string(path) {
		return a.known
	}
	known := p.find(path)
	a.known, a.n = known, uint8(n)
	copy(a.path[:], path)
	return known
}

func (p *Paths) find(path []byte) Known {
	if p != nil {
		if len(p.learned) > 0 {
			if p.learned[string(path)] {
				return KnownByUse
			}
			var buf [256]byte
			if s := appendShape(buf[:0], path); p.learned[string(s)] {
				return KnownByUse
			}
		}
		if p.named[string(path)] {
			return KnownName
		}
		for _, s := range p.prefixes {
			if len(path) >= len(s) && string(path[:len(s)]) == s {
				return KnownName
			}
		}
	}
	if usual(path) {
		return KnownHint
	}
	return NotKnown
}

// Shape is the path with every part that looks like an id (mostly digits, or eight and more letters and digits mixed)
// replaced by *, so that one success at /room/17/ws makes /room/18/ws known.
func Shape(path []byte) string { return string(appendShape(nil, path)) }

func appendShape(b, path []byte) []byte {
	for i := 0; i < len(path); {
		if path[i] == '/' {
			b = append(b, '/')
			i++
			continue
		}
		end := i
		digits := 0
		for end < len(path) && path[end] != '/' {
			if c := path[end]; c >= '0' && c <= '9' {
				digits++
			}
			end++
		}
		if n := end - i; 2*digits > n || n >= 8 && digits >= 2 || n > 40 {
			b = append(b, '*')
		} else {
			b = append(b, path[i:end]...)
		}
		i = end
	}
	return b
}

// usual knows the endpoints that libraries choose by default.
func usual(path []byte) bool {
	s := strings.TrimSuffix(string(path), "/")
	switch {
	case s == "", len(s) > 200:
		return false
	}
	last := s[strings.LastIndexByte(s, '/')+1:]
	switch last {
	case "info":
		return strings.Contains(s, "sockjs")
	case "negotiate", "ws", "wss", "websocket", "websockets", "socket", "cable", "mqtt", "hub", "socket.io", "engine.io", "sockjs", "signalr", "faye", "primus", "stream":
		return last != "stream" || strings.HasSuffix(s, "/ws/stream")
	}
	return strings.HasSuffix(s, "Hub")
}
