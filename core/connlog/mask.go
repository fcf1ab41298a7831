package connlog

import "bytes"

const masked = "***"

const (
	shortest       = 8       // a shorter text holds no secret that can be told from a word
	shortestToken  = 20      // unless it begins as a JWT
	deepest        = 8       // backslashes before an escaped character: JSON in a string of JSON in a string of JSON has so many
	longestRequest = 1 << 13 // bytes of a request line that servers take; it also bounds how far a query is followed over blanks
)

// Mask appends text with everything taken out that could be a secret or a person: query strings and fragments of URLs, the
// values of Authorization, Cookie and other telling names, tokens (JWT shapes, bearer and basic credentials, long random words),
// user names where the common log format or a broker prints them, user:password in URLs, mail addresses. It errs on the
// side of taking too much. Control characters and bytes outside ASCII become '.'.
func Mask(dst, text []byte) []byte {
	searched := 0 // up to there no version of a request is left: every byte is looked through once
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '?', c == ';' && i+1 < len(text) && wordByte(text[i+1]), // a query, or path parameters
			c == '#' && i > 0 && (wordByte(text[i-1]) || text[i-1] == '/'): // a fragment
			var end int
			end, searched = queryEnd(text, i+1, searched)
			if end > i+1 {
				dst = append(append(dst, c), masked...)
			} else {
				dst = append(dst, c)
			}
			i = end
		case c == '%' && i+2 < len(text) && hexDigit(text[i+1]) && hexDigit(text[i+2]): // an encoded byte is no part of a name
			dst = append(dst, text[i:i+3]...)
			i += 3
			if text[i-2] == '3' && text[i-1]|0x20 == 'f' { // a query begins
				var end int
				if end, searched = queryEnd(text, i, searched); end > i {
					dst, i = append(dst, masked...), end
				}
			}
		case c == '\\' && escape(text[i:]) > 0: // nor is an escaped one
			dst = append(dst, text[i:i+escape(text[i:])]...)
			i += escape(text[i:])
		case c == '/' && authority(text, i) > 0: // //user:password@host
			dst = append(append(dst, "//"...), masked...)
			i = authority(text, i)
		case wordByte(c):
			end := i
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			word := text[i:end]
			if kind := telling(word); kind != open {
				dst = append(dst, word...)
				dst, i = maskValue(dst, text, end, kind)
				continue
			}
			if end < len(text) && text[end] == '@' || i > 0 && text[i-1] == '@' || token(word) {
				dst = append(dst, masked...)
			} else {
				dst = append(dst, word...)
			}
			i = end
		case c == ' ' && userBetween(text, i) > 0: // host - USER [30/Nov/2026:…
			dst = append(append(dst, " - "...), masked...)
			i = userBetween(text, i)
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

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '+' || c == '~'
}

func hexDigit(c byte) bool { return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'f' }

// escape is the length of the escaped byte or character that a text begins with: \x26 as nginx writes one, \u0026 as Go's
// JSON does, with its backslash escaped again in JSON in JSON; 0 without one.
func escape(text []byte) int {
	i := 0
	for i < len(text) && i < deepest && text[i] == '\\' {
		i++
	}
	if i == 0 || i == len(text) {
		return 0
	}
	digits := 0
	switch text[i] {
	case 'u':
		digits = 4
	case 'x':
		digits = 2
	}
	if digits == 0 || len(text)-i-1 < digits {
		return 0
	}
	for _, c := range text[i+1:][:digits] {
		if !hexDigit(c) {
			return 0
		}
	}
	return i + 1 + digits
}

// queryEnd is where a query ends that begins at i. A control byte ends none, nor does an escaped one, nor a blank in a request
// line: that has its version at its end, and what stands between is the query's too; nor in quotes that hold nothing but a path
// and its query. Up to searched there is known to be no version; it gives how far that is known then.
func queryEnd(text []byte, i, searched int) (end, known int) {
	begin := i
	for i < len(text) && (text[i] < ' ' || !ends(text[i]) || text[i] == '\\' && escape(text[i:]) > 0) {
		i += max(1, escape(text[i:]))
	}
	if i == len(text) || text[i] != ' ' || i < searched {
		return i, searched
	}
	rest := text[i:min(len(text), i+longestRequest)]
	if quote := bytes.IndexByte(rest, '"'); quote >= 0 {
		if rest = rest[:quote]; pathAlone(text, begin) && rest[quote-1] != '\\' {
			return i + quote, searched
		}
	}
	if version := bytes.LastIndex(rest, []byte(" HTTP/")); version >= 0 {
		return i + version, searched
	}
	return i, i + len(rest)
}

// pathAlone reports whether a quote opens right before the path of the query that begins at i.
func pathAlone(text []byte, i int) bool {
	const most = 1 << 10 // bytes of the path that are looked at
	for at := i - 1; at >= max(0, i-most); at-- {
		switch text[at] {
		case '"':
			return true
		case ' ':
			return false
		}
	}
	return false
}

// ends ends a query.
func ends(c byte) bool { return c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '\\' }

type secrecy uint8

const (
	open    secrecy = iota
	oneWord         // the next word or quoted text is the secret
	theRest         // all up to the closing quote, or all the rest, is the secret
)

// telling knows the names before secrets; case and separators do not matter, nor what stands before the last of them.
func telling(word []byte) secrecy {
	var buf [40]byte
	k := 0
	for _, c := range word {
		if c == '_' || c == '-' || c == '.' {
			continue
		}
		if k == len(buf) {
			return open
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[k] = c
		k++
	}
	name := string(buf[:k])
	switch name {
	case "authorization", "proxyauthorization", "cookie", "setcookie", "cookie2", "bearer", "basic", "digest", "negotiate", "wwwauthenticate", "secwebsocketprotocol", "xamzsecuritytoken":
		return theRest
	case "user", "username", "remoteuser", "authuser", "login", "email", "userid", "uid", "account", "principal", "owner", "sub", "subject", "nick", "nickname",
		"pass", "pwd", "auth", "sig", "signature", "session", "sessionid", "sid", "jwt", "key", "credentials", "credential", "otp", "pin", "csrf", "xsrf", "u":
		return oneWord
	}
	for _, end := range []string{"token", "secret", "password", "passwd", "apikey", "authorization", "cookie", "accesskey", "username", "email", "sessionid", "sessid"} {
		if k >= len(end) && name[k-len(end):] == end {
			return oneWord
		}
	}
	return open
}

// maskValue masks what follows a telling name whose word ended at i, if a value follows at all.
func maskValue(dst, text []byte, i int, kind secrecy) ([]byte, int) {
	start, quote := i, byte(0)
	nested := false // the quote is itself escaped: JSON in a JSON string
separators:
	for i < len(text) {
		switch c := text[i]; c {
		case '"', '\'':
			quote, nested = c, text[i-1] == '\\'
		case '\\', ' ', ':', '=', '[', '{', '\t', '\r', 0, 1:
			quote = 0
			i += max(1, escape(text[i:])) - 1
		case '%':
			if i+2 >= len(text) || text[i+1] != '2' && text[i+1] != '3' {
				break separators
			}
			i += 2
		default:
			break separators
		}
		i++
	}
	if dst = append(dst, text[start:i]...); i == start && i < len(text) && kind == oneWord || i == len(text) {
		return dst, i
	}
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\':
			if nested && i+1 < len(text) && text[i+1] == quote {
				return append(dst, masked...), i
			}
			i++
		case quote != 0 && c == quote:
			return append(dst, masked...), i
		case quote == 0 && c == '\\' && escape(text[i:]) > 0:
			i += escape(text[i:]) - 1
		case quote == 0 && kind == oneWord && (ends(c) || c == ',' || c == '}' || c == ']' || c == '&'):
			return append(dst, masked...), i
		}
	}
	return append(dst, masked...), len(text)
}

// token reports whether a word looks like a secret by itself: a JWT's head, or long with mixed letters and digits.
func token(word []byte) bool {
	digits, letters := 0, 0
	for i, c := range word {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
			if c == 'e' && i+2 < len(word) && word[i+1] == 'y' && word[i+2] == 'J' {
				return true
			}
		}
	}
	return len(word) >= 32 || len(word) >= shortestToken && digits >= 3 && letters >= 3
}

// authority finds user:password@ after the two slashes at i and gives the offset of the @; 0 without one.
func authority(text []byte, i int) int {
	if i+2 >= len(text) || text[i+1] != '/' {
		return 0
	}
	for j := i + 2; j < len(text); j++ {
		switch c := text[j]; {
		case c == '@':
			return j
		case c == '/' || ends(c):
			return 0
		}
	}
	return len(text) // cut off: it may have been a user
}

// userBetween finds the user's name of the common log format after the blank at i: " - NAME [", and gives the offset
// of the blank before the bracket; 0 if there is none, or the name is "-".
func userBetween(text []byte, i int) int {
	if i+4 >= len(text) || text[i+1] != '-' || text[i+2] != ' ' || text[i+3] == '[' {
		return 0
	}
	for j := i + 3; j+3 < len(text) && j < i+200; j++ {
		if text[j] == ' ' && text[j+1] == '[' { // whatever stands in it: the stamp may be what could not be read
			if j == i+4 && text[i+3] == '-' {
				return 0
			}
			return j
		}
	}
	if len(text)-i < 64 { // cut off before the bracket
		return len(text)
	}
	return 0
}
