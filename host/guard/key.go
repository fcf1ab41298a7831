package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
)

// Key is who asks. Headers may hold secrets: their values are hashed before they become part of a key.
type Key struct {
	Text string // printable, at most 64 bytes: "203.0.113.9", "2001:db8:1:2::", "header 5f0c…"
	ID   uint64 // the text's hash in this process
	// FleetOnly: the client's own bucket is not to be asked: there is none for it, or its refusals are suspended.
	FleetOnly bool
}

// maxForwarded is how much of a forwarded list is read, from its end: no honest list is longer.
const maxForwarded = 4096

// caller is what a request tells about its sender.
type caller struct {
	client    address.Addr // the address by the rule for proxies; zero if the peer has none
	key       string
	direct    bool   // the key is the peer's address and a forwarded list was not believed
	forwarded []byte // the newest entry of the list, for the undeclared-proxy rule; nil without
}

// identify reads the sender of a request. It accepts anything: absurd headers, no address, lists of a megabyte.
func (s *settings) identify(r *http.Request) caller {
	var c caller
	if p, ok := address.ParsePeer([]byte(r.RemoteAddr), address.PortMaybe); ok {
		c.client = p.Addr
	}
	list := tail(r.Header[s.forwarded])
	if len(s.proxies) > 0 {
		peer := c.client
		c.client = s.proxies.Client(peer, list)
		c.direct = c.client == peer
	} else {
		c.direct = true
	}
	if c.direct && len(list) > 0 {
		c.forwarded = address.Hop(list, 1)
	}
	// A request without the header is told apart by its address: else all of them would share one bucket.
	if v := r.Header[s.header]; s.rule == keyHeader && len(v) > 0 && v[0] != "" {
		sum := sha256.Sum256([]byte(v[0]))
		c.key, c.direct = "header "+hex.EncodeToString(sum[:12]), false
		return c
	}
	if c.client.IsZero() {
		c.key = "peer " + printable(r.RemoteAddr)
	} else {
		c.key = c.client.Net64().String()
	}
	return c
}

// tail joins the values of a header that may be repeated, and keeps the end of it.
func tail(values []string) []byte {
	var list []byte
	for i := len(values) - 1; i >= 0 && len(list) < maxForwarded; i-- {
		v := values[i]
		v = v[max(0, len(v)-maxForwarded):]
		if len(list) > 0 {
			v += ","
		}
		list = append([]byte(v), list...)
	}
	return list[max(0, len(list)-maxForwarded):]
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, cut(s, 40))
}

// handshake reports whether a request asks for a WebSocket: an upgrade of HTTP/1.1 or RFC 8441's extended CONNECT.
func handshake(r *http.Request) bool {
	if r.Method == http.MethodConnect {
		return strings.EqualFold(r.Header.Get(":protocol"), "websocket")
	}
	return r.Method == http.MethodGet && has(r.Header["Connection"], "upgrade") && has(r.Header["Upgrade"], "websocket")
}

// has reports whether a header's lists hold a word.
func has(values []string, word string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(part), word) {
				return true
			}
		}
	}
	return false
}

func (g *Guard) id(key string) uint64 { return bucket.Hash(g.seed, key) }
