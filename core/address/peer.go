package address

import "bytes"

// Peer is what a log prints for one end of a connection.
type Peer struct {
	Addr Addr
	Port uint16 // 0 for unknown; servers print 0 as well when the address came from a header
}

// Ports says where a format puts the port of an address without brackets.
type Ports uint8

// The two habits.
const (
	PortMaybe  Ports = iota // a bare IPv6 address has no port: "2001:db8::1:8080" is an address
	PortAlways              // HAProxy, Mosquitto: what follows the last colon is the port
)

// ParsePeer reads an address with or without a port in any of the package's forms but lists; blanks around it are
// trimmed. ok is false for host names, "unix:", "-", "unknown" and whatever else is no address.
func ParsePeer(text []byte, ports Ports) (p Peer, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return Peer{}, false
	}
	switch text[0] {
	case '[':
		end := bytes.IndexByte(text, ']')
		if end < 0 || bytes.IndexByte(text[:end], ':') < 0 {
			return Peer{}, false
		}
		return withPort(text[1:end], text[end+1:])
	case '(':
		return tuple(text)
	case '"', '\'':
		if n := len(text); n > 2 && text[n-1] == text[0] {
			return ParsePeer(text[1:n-1], ports)
		}
		return Peer{}, false
	}
	last := bytes.LastIndexByte(text, ':')
	if ports == PortAlways && last > 0 {
		return withPort(text[:last], text[last:])
	}
	if a, ok := Parse(text); ok {
		return Peer{Addr: a}, true
	}
	if last > 0 { // 192.0.2.1:80; nine groups; ::ffff:192.0.2.1:80
		return withPort(text[:last], text[last:])
	}
	return Peer{}, false
}

// withPort reads an address and a port that is empty or ":" and digits.
func withPort(text, port []byte) (Peer, bool) {
	a, ok := Parse(text)
	if !ok {
		return Peer{}, false
	}
	if len(port) == 0 {
		return Peer{Addr: a}, true
	}
	if port[0] != ':' {
		return Peer{}, false
	}
	return withNumber(a, port[1:])
}

func withNumber(a Addr, digits []byte) (Peer, bool) {
	n, ok := parsePort(digits)
	if !ok {
		return Peer{}, false
	}
	return Peer{a, n}, true
}

// tuple reads Python's ('192.0.2.1', 80) and ('::1', 80, 0, 0).
func tuple(text []byte) (Peer, bool) {
	if len(text) < 5 || text[len(text)-1] != ')' {
		return Peer{}, false
	}
	host, rest, found := bytes.Cut(text[1:len(text)-1], []byte{','})
	host = bytes.TrimSpace(host)
	if n := len(host); n < 3 || host[0] != '\'' && host[0] != '"' || host[n-1] != host[0] {
		return Peer{}, false
	}
	a, ok := Parse(host[1 : len(host)-1])
	if !ok || !found {
		return Peer{}, false
	}
	port, _, _ := bytes.Cut(rest, []byte{','})
	return withNumber(a, bytes.TrimSpace(port))
}

func parsePort(digits []byte) (uint16, bool) {
	if len(digits) == 0 || len(digits) > 5 {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if n > 65535 {
		return 0, false
	}
	return uint16(n), true
}
