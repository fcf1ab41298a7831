package door

import (
	"bytes"
	"strings"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/wasm/filter/setting"
)

// maxForwarded is how much of a forwarded list is read, from its end: no honest list is longer.
const maxForwarded = 4096

// Request is what a handshake's headers say; only what is needed is kept, and lists are cut. Its texts are those of the
// headers, and the door's own list: valid until the next Read.
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
//
// In a compiled module each jump costs, so a name is told from others by its length first.
func (d *Door) Read(headers [][2]string) (r Request) {
	s := d.settings
	method, list, keys := "", d.list[:0], 0
	upgrade, protocol := false, false
	for i := range headers {
		name, value := headers[i][0], headers[i][1]
		switch len(name) {
		case len("host"):
			first(&r.Host, value, same(name, "host"))
		case len(":path"):
			first(&r.Path, value, same(name, ":path"))
		case len("upgrade"): // and of ":method"
			if same(name, ":method") {
				method = value
			} else if same(name, "upgrade") {
				upgrade = upgrade || value == "websocket" || holds(value, "websocket")
			}
		case len(":protocol"):
			protocol = protocol || same(name, ":protocol") && strings.EqualFold(value, "websocket")
		case len(":authority"): // and of "user-agent"
			first(&r.Host, value, same(name, ":authority"))
			first(&r.UserAgent, value, same(name, "user-agent"))
		}
		if len(name) == len(s.Forwarded) && same(name, s.Forwarded) {
			if len(list) > 0 {
				list = append(list, ',')
			}
			list = append(list, value[max(0, len(value)-maxForwarded):]...)
			if over := len(list) - maxForwarded; over > 0 {
				list = append(list[:0], list[over:]...)
			}
		}
		if len(name) == len(s.Header) && s.Key == setting.Header && same(name, s.Header) {
			keys++
			r.key = value
		}
	}
	d.list, r.forwarded = list, list
	if keys != 1 {
		r.key = ""
	}
	r.H2 = protocol && same(method, "CONNECT")
	r.Handshake = r.H2 || upgrade && same(method, "GET")
	return r
}

// Wanted has bit n for each length n of the names that Read looks at, the last bit for 63 and more: of other headers a host
// need not tell.
func (d *Door) Wanted() uint64 {
	bits := uint64(0)
	for _, name := range [...]string{"host", ":path", "upgrade", ":method", ":protocol", ":authority", "user-agent", d.settings.Forwarded, d.settings.Header} {
		bits |= 1 << min(len(name), 63)
	}
	return bits
}

func first(into *string, value string, is bool) {
	if is && *into == "" {
		*into = value
	}
}

// same compares without case; most are equal as they are.
func same(a, b string) bool { return a == b || strings.EqualFold(a, b) }

// holds reports whether a list with commas holds a word.
func holds(list, word string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(part), word) {
			return true
		}
	}
	return false
}

// Asks reports whether Judge needs the peer's address, which a host has to look up.
func (d *Door) Asks(r *Request) bool {
	s := d.settings
	return len(s.Allow) > 0 || s.Key != setting.None && r.key == ""
}

// Caller is who asks.
type Caller struct {
	ID      uint64       // hash of the key by which clients are told apart; 0 for nobody knows
	Client  address.Addr // zero for a host that tells none
	Header  bool         // the key is a header's value; else it is the address, IPv6 by its /64
	direct  bool         // the key is the peer's address and a forwarded list was not believed
	through []byte       // the newest entry of that list that is not the peer itself
}

// Known reports that there is a key.
func (c *Caller) Known() bool { return c.Header || !c.Client.IsZero() }

// AppendKey writes the key as people may see it, "203.0.113.9", "2001:db8:1:2::", "header 5f0c…": of a header's value its
// hash, for it may be a secret. Of nobody it writes nothing.
func (c *Caller) AppendKey(b []byte) []byte {
	switch {
	case c.Header:
		b = append(b, "header "...)
		for shift := 60; shift >= 0; shift -= 4 {
			b = append(b, "0123456789abcdef"[c.ID>>shift&15])
		}
	case !c.Client.IsZero():
		b = c.Client.Net64().Append(b)
	}
	return b
}

// caller names the sender of a request that came from a peer, as the host prints it ("203.0.113.9:50312").
func (d *Door) caller(r *Request, peer string) (c Caller) {
	s := d.settings
	d.text = append(d.text[:0], peer[:min(len(peer), 80)]...)
	if p, ok := address.ParsePeer(d.text, address.PortMaybe); ok {
		c.Client = p.Addr
	}
	from := c.Client
	c.Client = s.Proxies.Client(from, r.forwarded)
	c.direct = c.Client == from && s.Key == setting.IP
	if c.direct && len(r.forwarded) > 0 {
		c.through = newest(r.forwarded, from)
	}
	switch {
	case r.key != "":
		c.ID = bucket.Hash(d.seed, r.key)
		c.Header, c.direct = true, false
	case !c.Client.IsZero():
		d.text = c.AppendKey(d.text[:0])
		c.ID = bucket.Hash(d.seed, d.text)
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
