package connlog

import "bytes"

// Text of a line that was read well is shown as it is: a user agent, a host, a path. Secrets get there too, by a client
// that sends its token as its name, or a capture of the wrong header. veil looks for what is surely one and is cheap, as
// every event passes through it; what it finds goes through Mask.
func (b *Batch) veil(s Span) Span {
	text := b.Text(s)
	if !secretive(text) {
		return s
	}
	off := len(b.Arena)
	b.Arena = Mask(b.Arena, text)
	return Span{uint32(off) | arena, uint32(len(b.Arena) - off)}
}

// alias is veil for names that tell clients, connections and groups apart: two secrets get two masks.
func (b *Batch) alias(s Span) Span {
	if text := b.Text(s); secretive(text) {
		return b.aliased(text)
	}
	return s
}

// aliased puts a mask of its own in the place of a text: *** and eight digits of its hash.
func (b *Batch) aliased(text []byte) Span {
	off := len(b.Arena)
	h := uint32(Hash(0, text))
	b.Arena = append(b.Arena, masked...)
	for shift := 28; shift >= 0; shift -= 4 {
		b.Arena = append(b.Arena, "0123456789abcdef"[h>>shift&15])
	}
	return Span{uint32(off) | arena, uint32(len(b.Arena) - off)}
}

// secretive reports whether a text holds a JWT, user:password@ in a URL or a telling name with a value (token=, password:),
// or begins like the value of an Authorization or Cookie header.
func secretive(text []byte) bool {
	if len(text) < shortest {
		return false
	}
	if !suspect(text) {
		return opens(text)
	}
	if jwt(text) {
		return true
	}
	if bytes.IndexByte(text, '@') > 0 {
		for i := 0; i+1 < len(text); i++ {
			if text[i] == '/' {
				if end := authority(text, i); end > 0 && end < len(text) {
					return true
				}
			}
		}
	}
	if named(text, '=') || bytes.IndexByte(text, '%') >= 0 && named(text, '%') {
		return true
	}
	// Without a blank a colon is an address's: auth:8080 is a host.
	if bytes.IndexByte(text, ' ') >= 0 && (named(text, ':') || scheme(text) || handed(text)) {
		return true
	}
	return opens(text)
}

// suspect reports whether a text of eight bytes or more holds a byte without which only its first word can tell of a secret:
// the J of a JWT, @, =, % or a blank. Addresses and ids, of which every event has one, mostly hold none.
func suspect(text []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	at := 0
	for {
		x := word8(text[at:])
		j, a, e, s, p := x^'J'*ones, x^'@'*ones, x^'='*ones, x^' '*ones, x^'%'*ones
		if ((j-ones)&^j|(a-ones)&^a|(e-ones)&^e|(s-ones)&^s|(p-ones)&^p)&highs != 0 {
			return true
		}
		if at == len(text)-8 {
			return false
		}
		at = min(at+8, len(text)-8)
	}
}

// opens reports whether a text begins like the value of an Authorization or Cookie header.
func opens(text []byte) bool {
	switch text[0] | 0x20 {
	case 'a', 'b', 'c', 'd', 'n', 'p', 's', 'w':
		end := 0
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		return end < len(text) && (text[end] == ' ' || text[end] == ':' || text[end] == '=' || text[end] == ',' || text[end] == '%') && telling(text[:end]) == theRest
	}
	return false
}

// scheme reports whether the name of bearer or basic credentials stands before a blank, or before the comma of a list of
// subprotocols, in either case of the first letter.
func scheme(text []byte) bool {
	for _, name := range [...]string{"earer", "asic"} {
		for rest := text; ; {
			n := bytes.Index(rest, []byte(name))
			if n < 0 {
				break
			}
			rest = rest[n+len(name):]
			if len(rest) > 1 && (rest[0] == ' ' || rest[0] == ',') {
				return true
			}
		}
	}
	return false
}

// handed reports whether a word with a digit in it follows the name of a token, a secret or a password after a blank alone,
// as where a separator was lost: "access_token 7f3a9c1e", but not "token expired".
func handed(text []byte) bool {
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], ' ')
		if n < 0 {
			return false
		}
		from := i + n
		for from > i && wordByte(text[from-1]) {
			from--
		}
		name := text[from : i+n]
		i += n + 1
		if len(name) < 5 || telling(name) != oneWord {
			continue
		}
		digit := false
		end := i
		for end < len(text) && wordByte(text[end]) {
			digit = digit || text[end]-'0' <= 9
			end++
		}
		if digit && end-i >= shortest {
			return true
		}
	}
}

// mail reports whether a name is a person's address, bob@example.org.
func mail(text []byte) bool {
	n := bytes.IndexByte(text, '@')
	return n > 0 && bytes.IndexByte(text[n:], '.') > 1 && bytes.IndexByte(text, ' ') < 0 && bytes.IndexByte(text, '/') < 0
}

// named reports whether a telling name stands before one of the separators; before a % only if it begins an encoded = or :,
// or the blank behind a scheme.
func named(text []byte, separator byte) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], separator)
		if n < 0 {
			return false
		}
		i += n
		to := i
		if to > 0 && (text[to-1] == '"' || text[to-1] == '\'') { // the name's quote
			for to--; to > 0 && text[to-1] == '\\'; {
				to--
			}
		}
		from := wordBefore(text, to)
		if from > 0 && text[from-1] == '\\' && from-1+escape(text[from-1:]) == to { // which may be escaped
			for to = from - 1; to > 0 && text[to-1] == '\\'; {
				to--
			}
			from = wordBefore(text, to)
		}
		if from > 0 && text[from-1] == '%' && to-from > 2 { // behind an encoded byte
			from += 2
		}
		if from > 0 && text[from-1] == '\\' { // or behind an escaped one
			if n := escape(text[from-1:]); n > 0 && from-1+n < to {
				from += n - 1
			}
		}
		if from < to {
			kind := telling(text[from:to])
			if kind != open && (separator != '%' || encoded(text[i:], kind)) {
				return true
			}
		}
	}
}

// wordBefore is where the word begins that ends at i.
func wordBefore(text []byte, i int) int {
	for i > 0 && wordByte(text[i-1]) {
		i--
	}
	return i
}

// encoded reports whether a text begins with an encoded = or :, or a blank if what follows is all secret.
func encoded(text []byte, kind secrecy) bool {
	if len(text) < 4 {
		return false
	}
	switch code := uint16(text[1])<<8 | uint16(text[2]|0x20); code {
	case '3'<<8 | 'd', '3'<<8 | 'a':
		return true
	case '2'<<8 | '0' | 0x20:
		return kind == theRest
	}
	return false
}

// jwt reports whether a text holds the head of a JWT, eyJ.
func jwt(text []byte) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], 'J')
		if n < 0 {
			return false
		}
		if i += n; i >= 2 && text[i-1] == 'y' && text[i-2] == 'e' {
			return true
		}
	}
}
