// Package address reads the client's address in every form that logs and headers print it.
//
//	192.0.2.7                192.0.2.7:50312          a peer, with and without its port
//	2001:db8::7              [2001:db8::7]:50312      the same for IPv6
//	2001:db8::7:50312                                 HAProxy and Mosquitto: the port is always after the last colon
//	::ffff:192.0.2.7         fe80::7%eth0             v4 in v6 clothes is v4; a zone is cut
//	('192.0.2.7', 50312)     0:0:0:0:0:0:0:1          Python's tuple; Java's long form
//	203.0.113.9, 10.0.0.1    for="[2001:db8::7]:1"    X-Forwarded-For and Forwarded: lists, newest last
//
// What is none of these (a host name, "unix:", "-", "192.0.2.x", a hash) is not an address; there the text itself is the
// client's name. Text with leading zeros ("010.0.0.1") is refused, because programs disagree about what it means.
//
// Behind proxies the peer is the last proxy and the client stands in a list that anybody can start. Proxies says which
// peers may be believed and walks the list from the right: the client is the first address that is no proxy of ours. The
// leftmost entry is never taken for its place.
//
// The package holds addresses in 16 bytes of its own. net/netip reads the first four forms as well (the tests hold the
// two together), but it brings unique and weak pointers along, about 42 KB of compressed module.
package address

import "math/bits"

// Addr is an IP address in 16 bytes, IPv4 as ::ffff:a.b.c.d; comparable, so a key of maps. The zero value is "::", which
// no client has: it serves as "no address".
type Addr [16]byte

// IsZero reports the absence of an address.
func (a Addr) IsZero() bool { return a == Addr{} }

// Is4 reports an IPv4 address.
func (a Addr) Is4() bool {
	return a.hi() == 0 && uint32(a[8])<<24|uint32(a[9])<<16|uint32(a[10])<<8|uint32(a[11]) == 0xffff
}

// Net64 is the address with its lower 64 bits cleared, the usual network of one IPv6 customer, whose devices change
// their lower half daily; an IPv4 address is itself.
func (a Addr) Net64() Addr {
	if !a.Is4() {
		clear(a[8:])
	}
	return a
}

// Class says what kind of place an address names.
type Class uint8

// The classes. Behind Private and CarrierNAT there may be many machines, or a proxy of one's own.
const (
	Global     Class = iota // everything else
	Loopback                // 127/8, ::1
	LinkLocal               // 169.254/16, fe80::/10
	Private                 // 10/8, 172.16/12, 192.168/16, fc00::/7
	CarrierNAT              // 100.64/10
)

// Class tells the address's class.
func (a Addr) Class() Class {
	if a.Is4() {
		switch x, y := a[12], a[13]; {
		case x == 127:
			return Loopback
		case x == 169 && y == 254:
			return LinkLocal
		case x == 10, x == 172 && y&0xf0 == 16, x == 192 && y == 168:
			return Private
		case x == 100 && y&0xc0 == 64:
			return CarrierNAT
		}
		return Global
	}
	switch {
	case a == Addr{15: 1}:
		return Loopback
	case a[0] == 0xfe && a[1]&0xc0 == 0x80:
		return LinkLocal
	case a[0]&0xfe == 0xfc:
		return Private
	}
	return Global
}

// String is the address as RFC 5952 prints it: lower case, the longest run of zero groups shortened, IPv4 with dots.
func (a Addr) String() string { return string(a.Append(nil)) }

// Append appends String's text.
func (a Addr) Append(b []byte) []byte {
	if a.Is4() {
		for i, v := range a[12:] {
			if i > 0 {
				b = append(b, '.')
			}
			b = appendDecimal(b, v)
		}
		return b
	}
	var zeros uint8 // bit i set: group i is zero
	for i := range 8 {
		if a.group(i) == 0 {
			zeros |= 1 << i
		}
	}
	from, length := 8, 1 // a run of one group is not shortened
	for i := 0; i < 8; {
		run := bits.TrailingZeros8(^(zeros >> i))
		if run > length {
			from, length = i, run
		}
		i += run + 1
	}
	for i := 0; i < 8; i++ {
		if i == from {
			b = append(b, ':', ':')
			i += length - 1
			continue
		}
		if i > 0 && i != from+length {
			b = append(b, ':')
		}
		b = appendHex(b, a.group(i))
	}
	return b
}

func (a Addr) group(i int) uint16 { return uint16(a[2*i])<<8 | uint16(a[2*i+1]) }

func (a Addr) hi() uint64 {
	var v uint64
	for _, c := range a[:8] {
		v = v<<8 | uint64(c)
	}
	return v
}

func appendDecimal(b []byte, v byte) []byte {
	if v >= 100 {
		b = append(b, '0'+v/100)
	}
	if v >= 10 {
		b = append(b, '0'+v/10%10)
	}
	return append(b, '0'+v%10)
}

func appendHex(b []byte, v uint16) []byte {
	const digits = "0123456789abcdef"
	started := false
	for shift := 12; shift >= 0; shift -= 4 {
		d := v >> shift & 15
		if d != 0 || started || shift == 0 {
			b, started = append(b, digits[d]), true
		}
	}
	return b
}
