package format

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Entry is what the list of formats says of one.
type Entry struct {
	Name   string
	Traits connlog.Traits
}

// List gives every format by name, the base form first.
func List() []Entry {
	out := []Entry{{connlog.Base{}.Name(), connlog.Base{}.Traits()}}
	for _, f := range All() {
		out = append(out, Entry{f.Name(), f.Traits()})
	}
	return out
}

// When says in words when a line is written.
func When(w connlog.Written) string {
	return [...]string{"", "at the close", "at the handshake", "at both ends"}[w]
}

// Meaning says in words what the stamp means.
func Meaning(s connlog.Stamped) string {
	return [...]string{"none", "the start", "the end", "the event"}[s]
}

// AppendListJSON appends the list and the names of the wrappers.
func AppendListJSON(b []byte, list []Entry, wrappers []string) []byte {
	b = jsonwrite.Array(jsonwrite.Key(jsonwrite.Object(b), "formats"))
	for _, e := range list {
		t := e.Traits
		b = jsonwrite.String(jsonwrite.Key(jsonwrite.Object(b), "name"), e.Name)
		b = jsonwrite.String(jsonwrite.Key(b, "title"), t.Title)
		b = jsonwrite.String(jsonwrite.Key(b, "written"), When(t.Written))
		b = jsonwrite.String(jsonwrite.Key(b, "stamp"), Meaning(t.Stamped))
		for _, f := range [...]struct {
			name string
			has  bool
		}{{"zone", t.Zone}, {"duration", t.Duration}, {"closes", t.Closes}, {"refusals", t.Refusals}, {"client", t.Client}, {"user_agent", t.UserAgent}} {
			b = jsonwrite.Bool(jsonwrite.Key(b, f.name), f.has)
		}
		b = jsonwrite.Millis(jsonwrite.Key(b, "resolution_ms"), t.Resolution)
		b = jsonwrite.End(jsonwrite.Strings(jsonwrite.Key(b, "blind_spots"), t.BlindSpots()), '}')
	}
	b = jsonwrite.Strings(jsonwrite.Key(jsonwrite.End(b, ']'), "wrappers"), wrappers)
	return jsonwrite.End(b, '}')
}
