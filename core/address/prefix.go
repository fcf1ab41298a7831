package address

import (
	"bytes"
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
)

// Prefix is a network: an address and how many of its leading bits count, 0 to 128 (an IPv4 /8 is 104 here).
type Prefix struct {
	Addr Addr
	Bits uint8
}

// ParsePrefix reads "10.0.0.0/8", "2001:db8::/32" or a single address; bits beyond the length are cleared. ok is false
// for anything else.
func ParsePrefix(text []byte) (p Prefix, ok bool) {
	text = bytes.TrimSpace(text)
	host, length, found := bytes.Cut(text, []byte{'/'})
	a, ok := Parse(host)
	if !ok {
		return Prefix{}, false
	}
	if !found {
		return Prefix{a, 128}, true
	}
	n, ok := parsePort(length)
	if !ok || len(length) > 1 && length[0] == '0' {
		return Prefix{}, false
	}
	if bytes.IndexByte(host, ':') < 0 {
		n += 96
	}
	if n > 128 {
		return Prefix{}, false
	}
	for i := range a {
		a[i] &= mask(int(n) - 8*i)
	}
	return Prefix{a, uint8(n)}, true
}

// Contains reports whether a lies in the network.
func (p Prefix) Contains(a Addr) bool {
	for i := 0; i < 16 && 8*i < int(p.Bits); i++ {
		if (p.Addr[i]^a[i])&mask(int(p.Bits)-8*i) != 0 {
			return false
		}
	}
	return true
}

// mask is a byte with its left bits set; left may lie outside 0 to 8.
func mask(left int) byte {
	switch {
	case left <= 0:
		return 0
	case left >= 8:
		return 0xff
	}
	return 0xff << (8 - left)
}

// String is the network as it is written; a single address has no length.
func (p Prefix) String() string {
	if p.Bits >= 128 {
		return p.Addr.String()
	}
	n := int(p.Bits)
	if p.Addr.Is4() && n >= 96 {
		n -= 96
	}
	return p.Addr.String() + "/" + strconv.Itoa(n)
}

// ParseProxies reads a list of networks and addresses; an element may itself be a list with commas. An address with a
// length that cuts some of it off, 10.0.0.1/8, is refused: whoever wrote it meant one thing or the other. The error is a
// *fault.Error that names the element.
func ParseProxies(list []string) (Proxies, error) {
	var out Proxies
	for _, text := range list {
		for part := range bytes.SplitSeq([]byte(text), []byte{','}) {
			p, ok := ParsePrefix(part)
			if !ok {
				return nil, fault.Value("address", "trusted proxy", strconv.Quote(string(part)), "an address or a network such as 10.0.0.0/8")
			}
			if host, _, _ := bytes.Cut(bytes.TrimSpace(part), []byte{'/'}); p.Bits < 128 {
				if a, _ := Parse(host); a != p.Addr {
					return nil, fault.Value("address", "trusted proxy", strconv.Quote(string(part)), "the network "+p.String()+" or the address "+a.String())
				}
			}
			out = append(out, p)
		}
	}
	return out, nil
}
