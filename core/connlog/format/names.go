package format

import (
	"strings"

	"github.com/stormlint/stormlint/core/connlog"
)

// name is what a key means: its role, and its rank among the names of that role, of which the lowest wins.
type name struct {
	role role
	rank uint8
	unit int64 // of a duration: ns, 0 where only the value's own suffix tells; of a client: withPort
	also bool  // it is --group-by's field too
	kids *names
}

// withPort is the unit of a client's name that always carries a port.
const withPort = -1

// names maps keys to their meaning, one level of a record at a time.
type names struct {
	exact map[string]*name
	loose map[string]*name // keys in lower case with _ for . - and blank; nil where only exact keys count

	slots, looseSlots []slot // the same once more, after ready

	broken bool   // a record had to be mended
	shapes shapes // of the records read so far; only of the topmost level
	rough  shapes // of those that had to be mended, as they were before
}

// slot is one place of the table that find looks into, faster than a map's for keys as short as these.
type slot struct {
	key  string
	name *name
}

// spread is a hash of a key: its length and four of its bytes tell most keys apart.
func spread(key []byte) int {
	if len(key) == 0 {
		return 0
	}
	n := len(key)
	return n*7 + int(key[0])*3 + int(key[n-1])*5 + int(key[n/2])*11 + int(key[n/3])*17
}

// strange reports whether a key is not what appendLoose makes of it.
func strange(key []byte) bool {
	for _, c := range key {
		if c <= 'Z' && (c >= 'A' || c == '.' || c == '-' || c == ' ') {
			return true
		}
	}
	return false
}

func search(slots []slot, key []byte) *name {
	for at := spread(key); ; at++ {
		s := &slots[at&(len(slots)-1)]
		if s.name == nil || s.key == string(key) {
			return s.name
		}
	}
}

// ready fills the tables, at every level, once all names are added.
func (n *names) ready() *names {
	fill := func(table map[string]*name) []slot {
		size := 16
		for size < 4*len(table) {
			size *= 2
		}
		slots := make([]slot, size)
		for key, m := range table {
			if m.kids != nil && m.kids.slots == nil {
				m.kids.ready()
			}
			at := spread([]byte(key))
			for slots[at&(size-1)].name != nil {
				at++
			}
			slots[at&(size-1)] = slot{key, m}
		}
		return slots
	}
	if n.loose == nil {
		n.slots = fill(n.exact)
		return n
	}
	n.looseSlots = fill(n.loose)
	both := map[string]*name{}
	for key, m := range n.loose {
		both[key] = m
	}
	for key, m := range n.exact {
		both[key] = m
	}
	n.slots = fill(both)
	return n
}

func newNames(loose bool) *names {
	n := &names{exact: map[string]*name{}}
	if loose {
		n.loose = map[string]*name{}
	}
	return n
}

// add enters the names of a role, best first: words with dots are paths into nested objects, and keys with dots too. A
// word@unit carries the unit of a duration: s, ms, us, ns; a client's that always has a port, port.
func (n *names) add(r role, words string) *names {
	for rank, w := range strings.Fields(words) {
		unit := ""
		if n := strings.LastIndexByte(w, '@'); n > 0 { // @timestamp is a name
			w, unit = w[:n], w[n+1:]
		}
		m := name{role: r, rank: uint8(rank + 1)}
		switch unit {
		case "s":
			m.unit = 1e9
		case "ms":
			m.unit = 1e6
		case "us":
			m.unit = 1e3
		case "ns":
			m.unit = 1
		case "port":
			m.unit = withPort
		}
		n.put(w, m)
	}
	return n
}

func (n *names) put(path string, m name) {
	n.enter(path, m)
	for at := range len(path) {
		if path[at] != '.' {
			continue
		}
		head, rest := path[:at], path[at+1:]
		if head == "" || rest == "" {
			continue
		}
		kid := n.exact[head]
		if kid == nil {
			kid = &name{}
			n.exact[head] = kid
			if n.loose != nil {
				if old := n.loose[loosen(head)]; old != nil {
					kid.role, kid.rank, kid.unit, kid.also = old.role, old.rank, old.unit, old.also
				}
				n.loose[loosen(head)] = kid
			}
		}
		if kid.kids == nil {
			kid.kids = newNames(n.loose != nil)
		}
		kid.kids.put(rest, m)
	}
}

func (n *names) enter(key string, m name) {
	set := func(table map[string]*name, key string) {
		old := table[key]
		switch {
		case old == nil:
			c := m
			table[key] = &c
		case m.also: // whatever else it plays
			old.also = true
		case old.role == noRole || m.rank == 0:
			old.role, old.rank, old.unit = m.role, m.rank, m.unit
		}
	}
	set(n.exact, key)
	if n.loose != nil {
		set(n.loose, loosen(key))
	}
}

func loosen(key string) string {
	var buf [64]byte
	return string(appendLoose(buf[:0], []byte(key)))
}

func appendLoose(out, key []byte) []byte {
	for _, c := range key {
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '.' || c == '-' || c == ' ':
			c = '_'
		}
		out = append(out, c)
	}
	return out
}

func (n *names) find(key []byte) *name {
	if n.slots != nil {
		if m := search(n.slots, key); m != nil {
			return m
		}
	} else if m := n.exact[string(key)]; m != nil {
		return m
	}
	if n.loose == nil || len(key) > 64 || !strange(key) {
		return nil // what is written plainly has been looked for already
	}
	var buf [64]byte
	key = appendLoose(buf[:0], key)
	if n.looseSlots != nil {
		return search(n.looseSlots, key)
	}
	return n.loose[string(key)]
}

// withMap adds the operator's --map, which wins over every name, and the field of --group-by field:NAME.
func withMap(n *names, s *connlog.Setup) *names {
	for _, m := range s.Map {
		if r := roleNamed(m.Name); r != noRole {
			n.put(m.Field, name{role: r, unit: unitNamed(m.Name)})
		}
	}
	if field, ok := strings.CutPrefix(s.Group, "field:"); ok && field != "" {
		n.put(field, name{also: true})
	}
	return n.ready()
}

// roleNamed knows the words of --map.
func roleNamed(word string) role {
	switch word {
	case "time":
		return asTime
	case "start":
		return asStart
	case "end":
		return asEnd
	case "client":
		return asClient
	case "forwarded":
		return asForwarded
	case "port":
		return asPort
	case "event":
		return asEvent
	case "message":
		return asMessage
	case "duration", "duration_s", "duration_ms", "duration_us", "duration_ns":
		return asDuration
	case "interval", "interval_s", "interval_ms":
		return asInterval
	case "status":
		return asStatus
	case "code":
		return asCode
	case "cause":
		return asCause
	case "outcome":
		return asOutcome
	case "agent":
		return asAgent
	case "conn":
		return asConn
	case "id":
		return asID
	case "path":
		return asURL
	case "request":
		return asRequest
	case "query":
		return asQuery
	case "host":
		return asHost
	case "method":
		return asMethod
	case "protocol":
		return asProtocol
	case "upgrade":
		return asUpgrade
	case "group":
		return asGroup
	}
	return noRole
}

// Roles lists the words that --map knows.
const Roles = "time, start, end, client, forwarded, port, event, message, duration[_s|_ms|_us|_ns], interval[_s|_ms], status, code, cause, outcome, agent, conn, id, path, request, query, host, method, protocol, upgrade, group"

// HasRole reports whether --map knows a word.
func HasRole(word string) bool { return roleNamed(word) != noRole }

func unitNamed(word string) int64 {
	switch {
	case strings.HasSuffix(word, "_ns"):
		return 1
	case strings.HasSuffix(word, "_us"):
		return 1e3
	case strings.HasSuffix(word, "_ms"):
		return 1e6
	case strings.HasSuffix(word, "_s"):
		return 1e9
	}
	return 0
}
