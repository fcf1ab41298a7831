package connlog

import (
	"bytes"

	"github.com/stormlint/stormlint/core/fault"
)

// grouping is what --group-by asks for.
type grouping struct {
	by  byte // 0, 'u'a, 'p'ath, 'h'ost, 'q'uery, 'f'ield
	key []byte
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

// finish takes the group's value and removes what must not be kept: queries, tokens in paths, secrets in other text.
func (g *grouping) finish(b *Batch, e *Event) {
	e.Client, e.Conn = b.alias(e.Client), b.alias(e.Conn)
	if n := bytes.LastIndexByte(b.Text(e.Host), '@'); n >= 0 { // wss://user:password@host
		e.Host = e.Host.Sub(n+1, int(e.Host.Len)-n-1)
	}
	e.UserAgent, e.Host, e.Cause = b.veil(e.UserAgent), b.veil(e.Host), b.veil(e.Cause)
	if e.Path.Len > 0 {
		g.path(b, e)
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
	case g.by == 'q' || g.by == 'f':
		e.Group = b.alias(e.Group)
	}
	e.Query = Span{}
}

// path cuts a query that a format left and masks what looks like a token in the rest.
func (g *grouping) path(b *Batch, e *Event) {
	text := b.Text(e.Path)
	word, long := 0, false
	for i, c := range text {
		switch {
		case c == '?':
			if e.Query.Len == 0 {
				e.Query = e.Path.Sub(i+1, len(text)-i-1)
			}
			e.Path.Len = uint32(i)
			text = text[:i]
		case c == '/':
			word = i + 1
			continue
		}
		if i-word >= 20 || c == 'y' && i > 0 && text[i-1] == 'e' {
			long = true
		}
		if c == '?' {
			break
		}
	}
	if !long {
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
