package connlog

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/connlog/stamp"
)

// SampleSize is how many bytes of a record a sample keeps at most.
const SampleSize = 160

// Sample is the masked head of a record that could not be read: it shows a person the record's shape and never a secret.
// Of JSON one rule decides: every value is masked but one that parses as what its field is, an instant, an address, a kind
// of event or a number. Where a record is damaged nobody knows what is a value, so all that is not surely a key, or such a
// value, is masked. Of a text line the shape stays and not the words: punctuation, numbers, stamps, addresses and the words
// that logs are made of. Of a record with NUL bytes, which is no text, only its size is shown.
func Sample(record []byte) string { return sample(record, notation(record)) }

// notation reports whether a text is JSON, or a piece of it.
func notation(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\ufeff\x00")
	if len(text) == 0 || text[0] == '{' || text[0] == '[' && len(text) > 1 && (text[1] == '{' || text[1] == '"' || text[1] == '[') {
		return true
	}
	for _, end := range []string{`","`, `", "`, `"}`, `"]`} {
		if bytes.Contains(text, []byte(end)) {
			return true
		}
	}
	for i := 0; ; { // "name":, and not the text of a log that quotes a word
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return false
		}
		i += n + 1
		from := i
		for from > 1 && text[from-2] != '"' && wordByte(text[from-2]) {
			from--
		}
		if from > 1 && from < i && text[from-2] == '"' && colonAfter(text[i:]) {
			return true
		}
	}
}

// colonAfter reports whether a colon comes next, but for blanks.
func colonAfter(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	return len(text) > 0 && text[0] == ':'
}

func sample(record []byte, json bool) string {
	cut := false
	// Mask first and cut then, so that no half of a secret loses the name before it; what lies far beyond is not looked at.
	if len(record) > 4*SampleSize {
		record, cut = record[:4*SampleSize], true
	}
	if bytes.IndexByte(record, 0) >= 0 {
		if cut {
			return "more than " + strconv.Itoa(len(record)) + " bytes with NULs"
		}
		return strconv.Itoa(len(record)) + " bytes with NULs"
	}
	s := make([]byte, 0, 2*len(record))
	if json {
		s = appendShown(s, record)
	} else {
		s = appendOutline(s, record)
	}
	if len(s) > SampleSize {
		s, cut = s[:SampleSize], true
	}
	if cut {
		s = append(s, "..."...)
	}
	return string(s)
}

// appendShown appends JSON, or what is left of it, with every value masked that its field does not vouch for.
func appendShown(dst, text []byte) []byte {
	var field meaning
	colon := false    // before what comes, but for blanks: a value follows
	var arrays uint64 // the lowest bit says that the innermost bracket is an array's
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) { // cut off: nobody knows what it would have been
				return append(append(dst, c), masked...)
			}
			inside := text[i+1 : end]
			next := end + 1
			for next < len(text) && text[next] == ' ' {
				next++
			}
			dst = append(dst, c)
			switch {
			case next < len(text) && text[next] == ':' && !colon && arrays&1 == 0:
				if field = meaningOf(inside); plainName(inside) {
					dst = append(dst, inside...)
				} else {
					dst = append(dst, masked...)
				}
			case field.fits(inside):
				dst = append(dst, inside...)
			default:
				dst = append(dst, masked...)
			}
			dst, i, colon = append(dst, c), end+1, false
		case wordByte(c):
			end := i
			for end < len(text) && (wordByte(text[end]) || text[end] == ':' || text[end] > '~') {
				end++
			}
			switch word := text[i:end]; {
			case string(word) == "null" || string(word) == "true" || string(word) == "false":
				dst = append(dst, word...)
			case end < len(text) && c <= '9' && field.fits(word):
				dst = append(dst, word...)
			default:
				dst = append(dst, masked...)
			}
			i, colon = end, false
		case c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':' || c == ' ':
			dst = append(dst, c)
			colon = c == ':' || c == ' ' && colon
			switch c {
			case '{':
				arrays <<= 1
			case '[':
				arrays = arrays<<1 | 1
			case '}', ']':
				arrays >>= 1
			}
			i++
		case c < ' ' || c > '~':
			dst = append(dst, '.')
			i++
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// plainName reports whether a key looks like a name that a program gave, and not like a value: a map's key can be a token.
func plainName(key []byte) bool {
	if len(key) == 0 || len(key) > 40 || token(key) {
		return false
	}
	for _, c := range key {
		if !wordByte(c) && c != '@' && c != '$' && c != '(' && c != ')' {
			return false
		}
	}
	return true
}

// meaning is what a field's name says of its value.
type meaning uint8

const (
	unclear meaning = iota
	anInstant
	anAddress
	aKind
	aNumber
)

// meaningOf tells a field's meaning from its name.
func meaningOf(key []byte) meaning {
	if len(key) > 40 || telling(key) != open {
		return unclear
	}
	name := strings.ToLower(string(key))
	switch name {
	case "ts", "t", "date":
		return anInstant
	case "ip", "src", "peer", "addr":
		return anAddress
	case "event", "type", "kind", "action":
		return aKind
	case "code", "port", "status", "count", "size", "level", "duration", "elapsed", "latency", "attempt":
		return aNumber
	}
	for _, of := range []struct {
		ends string
		meaning
	}{
		{"_ms", aNumber}, {"time", anInstant}, {"timestamp", anInstant}, {"_at", anInstant}, {"_ip", anAddress}, {"ip", anAddress}, {"addr", anAddress},
		{"address", anAddress}, {"host", anAddress}, {"forwarded_for", anAddress}, {"event_type", aKind}, {"eventtype", aKind}, {"_code", aNumber}, {"_port", aNumber},
		{"status", aNumber}, {"interval", aNumber}, {"duration", aNumber}, {"bytes", aNumber}, {"bytes_sent", aNumber},
	} {
		if strings.HasSuffix(name, of.ends) {
			return of.meaning
		}
	}
	return unclear
}

// fits reports whether a value parses as what its field is.
func (m meaning) fits(value []byte) bool {
	switch m {
	case anInstant:
		_, ok := stamp.Any(value)
		return ok
	case anAddress:
		p, ok := address.ParsePeer(value, address.PortMaybe)
		return ok && p.Addr != address.Addr{} && bytes.IndexByte(value, '%') < 0
	case aKind:
		switch strings.ToLower(string(value)) {
		case "connect", "connected", "connection", "disconnect", "disconnected", "retry", "reconnect", "reconnecting", "open", "opened", "close", "closed",
			"accept", "accepted", "error", "message", "ping", "pong", "subscribe", "unsubscribe", "heartbeat", "handshake", "ws_open", "ws_close":
			return true
		}
	case aNumber:
		return figures(value)
	}
	return false
}

// figures reports whether a text is a number of usual length.
func figures(b []byte) bool {
	if len(b) == 0 || len(b) > 24 {
		return false
	}
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return false
		}
	}
	return b[0] <= '9'
}
