package address

// A peer is taken for a proxy that nobody declared while it carries more than ProxyShare of the handshakes and shows
// ProxyAddresses different forwarded addresses within a minute.
const (
	ProxyShare     = 0.20
	ProxyAddresses = 20
)

const (
	suspectWindow = int64(60_000_000_000) // ns
	watched       = 8                     // more than 1/ProxyShare peers cannot carry that share each
)

// Suspects finds the peers that look like proxies nobody declared, behind which a limit for "each client" is a limit for
// all: Misra and Gries's frequent items (1982) with eight counters, which never miss one above a ninth, halved every
// minute so that the past fades. The zero value is ready; it is not safe for concurrent use.
type Suspects struct {
	entries [watched]suspect
	total   uint32
	turn    int64 // when the window ends
}

type suspect struct {
	id    uint64
	key   string
	count uint32
	seen  [ProxyAddresses]uint64 // hashes of the forwarded addresses of this window
	n     int
	was   bool // seen was full in the window before
}

func (e *suspect) proven() bool { return e.n == ProxyAddresses || e.was }

// Observe counts a handshake of a peer, named by its key and the key's hash, that showed a forwarded address (its hash;
// 0: none) at an instant in ns, and tells whether the peer is suspected; news is true when that has just begun.
func (s *Suspects) Observe(key string, id, forwarded uint64, now int64) (suspected, news bool) {
	if now >= s.turn {
		s.turn = now + suspectWindow
		s.total /= 2
		for i := range s.entries {
			e := &s.entries[i]
			e.count /= 2
			e.was, e.n = e.n == ProxyAddresses, 0
		}
	}
	s.total++
	e := s.entry(key, id)
	if e == nil {
		return false, false
	}
	before := s.suspected(e)
	e.count++
	if forwarded != 0 && e.n < ProxyAddresses {
		known := false
		for _, h := range e.seen[:e.n] {
			known = known || h == forwarded
		}
		if !known {
			e.seen[e.n] = forwarded
			e.n++
		}
	}
	suspected = s.suspected(e)
	return suspected, suspected && !before
}

func (s *Suspects) suspected(e *suspect) bool {
	return e.proven() && float64(e.count) > ProxyShare*float64(s.total)
}

// entry is the key's counter, a free one, or none after the step of Misra and Gries.
func (s *Suspects) entry(key string, id uint64) *suspect {
	var free *suspect
	for i := range s.entries {
		e := &s.entries[i]
		if e.id == id && e.count > 0 {
			return e
		}
		if e.count == 0 {
			free = e
		}
	}
	if free != nil {
		*free = suspect{id: id, key: key}
		return free
	}
	for i := range s.entries {
		s.entries[i].count--
	}
	return nil
}

// List gives the keys of the peers that are suspected now; nil is none.
func (s *Suspects) List() []string {
	var keys []string
	for i := range s.entries {
		if e := &s.entries[i]; e.count > 0 && s.suspected(e) {
			keys = append(keys, e.key)
		}
	}
	return keys
}
