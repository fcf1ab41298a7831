package address

import "bytes"

// Proxies are the networks whose word about the client is believed. nil believes nobody.
type Proxies []Prefix

// Trust reports whether a is one of the proxies.
func (p Proxies) Trust(a Addr) bool {
	for _, n := range p {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// Client walks from the peer through the forwarded list, newest entry first, as long as each hop is a proxy: the first
// that is none is the client. An entry that is no address ends the walk, and the hop before it stands for the client;
// when all are proxies it is the oldest of them. A zero peer (a log that prints only the list) counts as a proxy, if any
// are declared. forwarded is the value of X-Forwarded-For, Forwarded or a header with a single address.
func (p Proxies) Client(peer Addr, forwarded []byte) Addr {
	if len(p) == 0 {
		return peer
	}
	client := peer
	for client.IsZero() || p.Trust(client) {
		var entry []byte
		entry, forwarded = last(forwarded)
		hop, ok := ParsePeer(entry, PortMaybe)
		if !ok {
			break
		}
		client = hop.Addr
	}
	return client
}

// Hop is the n-th entry of a forwarded list counted from the right, 1 for the newest: with n proxies of one's own in a
// row, each adding the peer it saw, it is the client. The text may be no address; it is empty when the list is shorter.
func Hop(forwarded []byte, n int) []byte {
	var entry []byte
	for ; n > 0 && len(forwarded) > 0; n-- {
		entry, forwarded = last(forwarded)
	}
	if n > 0 {
		return nil
	}
	return entry
}

// last cuts the newest entry off a list. Of Forwarded's pairs (RFC 7239) it takes the value of "for"; an entry without
// one is empty.
func last(list []byte) (entry, rest []byte) {
	if i := bytes.LastIndexByte(list, ','); i >= 0 {
		entry, rest = list[i+1:], list[:i]
	} else {
		entry = list
	}
	entry = bytes.TrimSpace(entry)
	if bytes.IndexByte(entry, '=') < 0 {
		return entry, rest
	}
	for pair := range bytes.SplitSeq(entry, []byte{';'}) {
		name, value, _ := bytes.Cut(pair, []byte{'='})
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("for")) {
			return bytes.Trim(bytes.TrimSpace(value), `"`), rest
		}
	}
	return nil, rest
}
