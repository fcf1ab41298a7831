package door

import (
	"bytes"
	"strings"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/wasm/filter/setting"
)

// maxForwarded is how much of a forwarded list is read, from its end: no honest list is longer.
const maxForwarded = 4096

// Request is what a handshake's headers say; only what is needed is kept, and lists are cut.
type Request struct {
	Handshake bool   // it asks for a WebSocket
	H2        bool   // by an extended CONNECT, as far as the host shows it
	Path      string // with its query
	Host      string
	UserAgent string

	key       string // the value of the key's header, if there is exactly one and it is not empty
	forwarded []byte // the forwarded lists in their order, the last maxForwarded bytes
}

// Read takes from headers, in their order, what the settings need. Names are compared without case. Anything may be
// missing, doubled, absurdly long or no UTF-8:
//
//	upgrade, connection  any line may hold the word; a handshake is a GET with "upgrade: websocket", or a CONNECT with
//	                     ":protocol: websocket"
//	key's header         doubled or empty it counts as missing: two values are two stories
//	forwarded            lines are joined as RFC 9110 says; only the last 4,096 bytes are read
//	the others           the first line counts
func Read(headers [][2]string, s *setting.Settings) (r Request) {
	var method string
	var upgrade, protocol bool
	keys := 0
	for i := range headers {
		name, value := headers[i][0], headers[i][1]
		switch {
		case same(name, ":method"):
			method = value
		case same(name, ":path"):
			first(&r.Path, value)
		case same(name, ":authority"), same(name, "host"):
			first(&r.Host, value)
		case same(name, ":protocol"):
			protocol = protocol || strings.EqualFold(value, "websocket")
		case same(name, "upgrade"):
			upgrade = upgrade || holds(value, "websocket")
		case same(name, "user-agent"):
			first(&r.UserAgent, value)
		}
		if same(name, s.Forwarded) {
			if len(r.forwarded) > 0 {
				r.forwarded = append(r.forwarded, ',')
			}
			r.forwarded = append(r.forwarded, value[max(0, len(value)-maxForwarded):]...)
			r.forwarded = r.forwarded[max(0, len(r.forwarded)-maxForwarded):]
		}
		if s.Key == setting.Header && same(name, s.Header) {
			keys++
			r.key = value
		}
	}
	if keys != 1 {
		r.key = ""
	}
	r.H2 = protocol && strings.EqualFold(method, "CONNECT")
	r.Handshake = r.H2 || upgrade && strings.EqualFold(method, "GET")
	return r
}

func first(into *string, value string) {
	if *into == "" {
		*into = value
	}
}

// same compares a header's name with one in lower case.
func same(name, lower string) bool {
	return len(name) == len(lower) && (name == lower || strings.EqualFold(name, lower))
}

// holds reports whether a list with commas holds a word.
func holds(list, word string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(part), word) {
			return true
		}
	}
	return false
}

// Caller is who asks.
type Caller struct {
	Key     string // printable: "203.0.113.9", "2001:db8:1:2::", "header 5f0c…"; empty for nobody knows
	ID      uint64 // its hash
	Client  address.Addr
	direct  bool   // the key is the peer's address and a forwarded list was not believed
	through []byte // the newest entry of that list that is not the peer itself
}

// caller names the sender of a request that came from a peer, as the host prints it ("203.0.113.9:50312").
func (d *Door) caller(r *Request, peer string) (c Caller) {
	s := d.settings
	if p, ok := address.ParsePeer([]byte(peer[:min(len(peer), 80)]), address.PortMaybe); ok {
		c.Client = p.Addr
	}
	from := c.Client
	c.Client = s.Proxies.Client(from, r.forwarded)
	c.direct = c.Client == from && s.Key == setting.IP
	if c.direct {
		c.through = newest(r.forwarded, from)
	}
	switch {
	case r.key != "":
		c.ID = d.hash(r.key)
		c.Key, c.direct = "header "+hex(c.ID), false
		return c
	case !c.Client.IsZero():
		c.Key = c.Client.Net64().String()
		c.ID = d.hash(c.Key)
	}
	return c
}

// newest is the last entry of a forwarded list, or the one before it where the proxy has already appended the peer, as
// Envoy does with use_remote_address.
func newest(list []byte, peer address.Addr) []byte {
	for n := 1; n <= 2; n++ {
		hop := bytes.TrimSpace(address.Hop(list, n))
		if p, ok := address.ParsePeer(hop, address.PortMaybe); !ok || p.Addr != peer {
			return hop
		}
	}
	return nil
}

func hex(v uint64) string {
	var b [16]byte
	for i := range b {
		b[i] = "0123456789abcdef"[v>>(60-4*i)&15]
	}
	return string(b[:])
}
