package connlog

import (
	"bytes"

	"github.com/stormlint/stormlint/core/fault"
)

// grouping is what --group-by asks for.
type grouping struct {
	by  byte // 0, 'u'a, 'p'ath, 'h'ost, 'q'uery, 'f'ield
	key []byte

	agents, paths, causes clean8 // seen last, and shown as they are
}

// clean8 remembers texts that need no mask. A log has few user agents and few paths, again and again.
type clean8 [8]clean

// has reports whether a text is remembered.
func (c *clean8) has(text []byte) bool {
	known := &c[len(text)%len(c)]
	return known.n == len(text) && string(known.text[:known.n]) == string(text)
}

func (c *clean8) add(text []byte) {
	if known := &c[len(text)%len(c)]; len(text) <= len(known.text) {
		known.n = copy(known.text[:], text)
	}
}

// clean is a text that needs no mask.
type clean struct {
	n    int
	text [192]byte
}

// veil is the batch's, for texts that come again.
func (c *clean8) veil(b *Batch, s Span) Span {
	text := b.Text(s)
	if c.has(text) {
		return s
	}
	masked := b.veil(s)
	if masked == s {
		c.add(text)
	}
	return masked
}

func groupBy(word string) (grouping, error) {
	switch word {
	case "":
		return grouping{}, nil
	case "ua", "path", "host":
		return grouping{by: word[0]}, nil
	}
	if kind, key, ok := bytes.Cut([]byte(word), []byte(":")); ok && len(key) > 0 {
		switch string(kind) {
		case "query", "field":
			return grouping{by: kind[0], key: key}, nil
		}
	}
	return grouping{}, fault.Value("connlog", "group-by", word, "ua, path, host, query:KEY or field:NAME")
}

// finishAll finishes the events of one record, of which the second as a rule has the texts of the first.
func (g *grouping) finishAll(b *Batch, events []Event) {
	if len(events) == 0 {
		return
	}
	raw := events[0]
	g.finish(b, &events[0])
	for i := 1; i < len(events); i++ {
		e, done := &events[i], &events[0]
		if e.Client != raw.Client || e.Conn != raw.Conn || e.Path != raw.Path || e.Query != raw.Query || e.Host != raw.Host ||
			e.Forwarded != raw.Forwarded || e.UserAgent != raw.UserAgent || e.Group != raw.Group {
			g.finish(b, e)
			continue
		}
		e.Client, e.Conn, e.Path, e.Query, e.Group = done.Client, done.Conn, done.Path, done.Query, done.Group
		e.Host, e.Forwarded, e.UserAgent = done.Host, done.Forwarded, done.UserAgent
		if e.Cause.Len >= shortest {
			e.Cause = g.causes.veil(b, e.Cause)
		}
	}
}

// finish takes the group's value and removes what must not be kept: queries, tokens in paths, secrets in other text.
func (g *grouping) finish(b *Batch, e *Event) {
	if e.Client.Len >= shortest {
		switch text := b.Text(e.Client); {
		case !suspect(text) && !opens(text): // nearly every client is an address
		case mail(text):
			e.Client = b.aliased(text)
		default:
			e.Client = b.alias(e.Client)
		}
	}
	if e.Conn.Len >= shortest {
		e.Conn = b.alias(e.Conn)
	}
	if e.Host.Len > 0 {
		if n := bytes.LastIndexByte(b.Text(e.Host), '@'); n >= 0 { // wss://user:password@host
			e.Host = e.Host.Sub(n+1, int(e.Host.Len)-n-1)
		}
		e.Host = b.veil(e.Host)
	}
	if e.Forwarded.Len >= shortest {
		e.Forwarded = b.veil(e.Forwarded)
	}
	if e.UserAgent.Len >= shortest {
		e.UserAgent = g.agents.veil(b, e.UserAgent)
	}
	if e.Cause.Len >= shortest {
		e.Cause = g.causes.veil(b, e.Cause)
	}
	if e.Path.Len > 0 && !g.paths.has(b.Text(e.Path)) {
		text, printed := b.Text(e.Path), e.Path
		if g.path(b, e); e.Path == printed {
			g.paths.add(text)
		}
	}
	switch g.by {
	case 'u':
		e.Group = e.UserAgent
	case 'p':
		e.Group = e.Path
	case 'h':
		e.Group = e.Host
	case 'q':
		e.Group = g.query(b, e.Query)
	}
	switch {
	case e.Group.Len == 0:
	case len(g.key) > 0 && telling(g.key) != open:
		e.Group = b.aliased(b.Text(e.Group)) // the operator asked for groups, not for the tokens
	case g.by == 0 || g.by == 'q' || g.by == 'f':
		e.Group = b.alias(e.Group)
	}
	e.Query = Span{}
}

// path cuts a fragment and a query that a format left and masks what looks like a token in the rest.
func (g *grouping) path(b *Batch, e *Event) {
	text := b.Text(e.Path)
	if n := bytes.IndexByte(text, '#'); n >= 0 {
		e.Path.Len = uint32(n)
		text = text[:n]
	}
	if n := bytes.IndexByte(text, '?'); n >= 0 {
		if e.Query.Len == 0 {
			e.Query = e.Path.Sub(n+1, len(text)-n-1)
		}
		e.Path.Len = uint32(n)
		text = text[:n]
	}
	if bytes.IndexByte(text, ';') >= 0 { // path parameters, ;jsessionid=…
		off := len(b.Arena)
		inside := true
		for _, c := range text {
			switch c {
			case ';':
				inside = false
			case '/':
				inside = true
			}
			if inside {
				b.Arena = append(b.Arena, c)
			}
		}
		e.Path = Span{uint32(off) | arena, uint32(len(b.Arena) - off)}
		text = b.Text(e.Path)
	}
	if !tokens(text) {
		e.Path = b.veil(e.Path)
		return
	}
	off := len(b.Arena)
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] != '/' {
			end++
		}
		if part := text[i:end]; token(part) {
			b.Arena = append(b.Arena, '*')
		} else {
			b.Arena = append(b.Arena, part...)
		}
		if end < len(text) {
			b.Arena = append(b.Arena, '/')
			end++
		}
		i = end
	}
	e.Path = b.veil(Span{uint32(off) | arena, uint32(len(b.Arena) - off)})
}

// tokens reports whether a part of the path may be a token: it is long, or begins as a JWT does.
func tokens(path []byte) bool {
	if len(path) < shortestToken {
		return len(path) >= shortest && jwt(path)
	}
	for rest := path; ; {
		n := bytes.IndexByte(rest, '/')
		if n < 0 {
			return len(rest) >= shortestToken || jwt(path)
		}
		if n >= shortestToken {
			return true
		}
		rest = rest[n+1:]
	}
}

// query finds the key's value, as it is written.
func (g *grouping) query(b *Batch, s Span) Span {
	text := b.Text(s)
	for i := 0; i < len(text); {
		end := bytes.IndexByte(text[i:], '&')
		if end < 0 {
			end = len(text)
		} else {
			end += i
		}
		if pair := text[i:end]; len(pair) > len(g.key) && pair[len(g.key)] == '=' && bytes.Equal(pair[:len(g.key)], g.key) {
			return s.Sub(i+len(g.key)+1, len(pair)-len(g.key)-1)
		}
		i = end + 1
	}
	return Span{}
}
