package analyze

import (
	"bytes"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/connlog"
)

// appendKey appends the key of an event's client: nothing where the log does not name it. The key of ip+ua is the
// address, a blank and the user agent; addresses have no blanks, and those of other names become "_".
func (o *Options) appendKey(dst []byte, b *connlog.Batch, e *connlog.Event) []byte {
	switch o.Key {
	case ByConn:
		return append(dst, b.Text(e.Conn)...)
	case ByClient:
		return append(dst, name(b.Text(e.Client))...)
	}
	from := len(dst)
	dst = o.appendAddress(dst, b, e)
	if len(dst) == from || o.Key == ByIP {
		return dst
	}
	for i := from; i < len(dst); i++ {
		if dst[i] == ' ' {
			dst[i] = '_'
		}
	}
	return append(append(dst, ' '), b.Text(e.UserAgent)...)
}

// appendAddress appends the client's address in its one spelling, or the text that stands in its place.
func (o *Options) appendAddress(dst []byte, b *connlog.Batch, e *connlog.Event) []byte {
	text := b.Text(e.Client)
	forwarded := b.Text(e.Forwarded)
	peer, ok := address.ParsePeer(text, address.PortMaybe)
	switch {
	case len(o.Proxies) > 0 && (ok || len(name(text)) == 0):
		peer.Addr = o.Proxies.Client(peer.Addr, forwarded)
		ok = !peer.Addr.IsZero()
	case !ok && len(name(text)) == 0 && len(forwarded) > 0:
		// A log with the list alone (Envoy's default): its newest entry is what the gateway itself saw.
		peer, ok = address.ParsePeer(address.Hop(forwarded, 1), address.PortMaybe)
	}
	if ok {
		return peer.Addr.Append(dst)
	}
	return append(dst, name(text)...)
}

// name is a client column's text without blanks around it; what servers print for nothing is nothing.
func name(text []byte) []byte {
	text = bytes.TrimSpace(text)
	switch string(text) {
	case "-", "unknown", "null", "unix:":
		return nil
	}
	return text
}

// split parts a key into the client's name and the rest.
func (o *Options) split(key string) (name, rest string) {
	if o.Key == ByIPAgent {
		for i := range len(key) {
			if key[i] == ' ' {
				return key[:i], key[i+1:]
			}
		}
	}
	return key, ""
}
