package guard

import (
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

// The undeclared-proxy rule: an address is taken for a proxy while it carries more than this share of the handshakes and
// shows this many different forwarded addresses within a window.
const (
	proxyShare     = 0.20
	proxyAddresses = 20
	window         = int64(time.Minute)
	watched        = 8 // more than 1/proxyShare addresses cannot carry that share each
)

// suspects finds the addresses that carry much: Misra and Gries's frequent items (1982) with eight counters, which never
// miss one above a ninth, halved every minute so that the past fades.
type suspects struct {
	mu      sync.Mutex
	entries [watched]suspect
	total   uint32
	turn    int64 // when the window ends
}

type suspect struct {
	id    uint64
	key   string
	count uint32
	seen  [proxyAddresses]uint64 // hashes of the forwarded addresses of this window
	n     int
	was   bool // seen was full in the window before
}

func (e *suspect) proven() bool { return e.n == proxyAddresses || e.was }

// observe counts a handshake of a peer that declared a forwarded address (hash 0: none), and tells whether the client's
// limit is suspended for it; news is true when that has just begun.
func (s *suspects) observe(key Key, forwarded uint64, now int64) (suspended, news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now >= s.turn {
		s.turn = now + window
		s.total /= 2
		for i := range s.entries {
			e := &s.entries[i]
			e.count /= 2
			e.was, e.n = e.n == proxyAddresses, 0
		}
	}
	s.total++
	e := s.entry(key)
	if e == nil {
		return false, false
	}
	before := s.suspended(e)
	e.count++
	if forwarded != 0 && e.n < proxyAddresses {
		known := false
		for _, h := range e.seen[:e.n] {
			known = known || h == forwarded
		}
		if !known {
			e.seen[e.n] = forwarded
			e.n++
		}
	}
	suspended = s.suspended(e)
	return suspended, suspended && !before
}

func (s *suspects) suspended(e *suspect) bool {
	return e.proven() && float64(e.count) > proxyShare*float64(s.total)
}

// entry is the key's counter, a free one, or none after the step of Misra and Gries.
func (s *suspects) entry(key Key) *suspect {
	var free *suspect
	for i := range s.entries {
		e := &s.entries[i]
		if e.id == key.ID && e.count > 0 {
			return e
		}
		if e.count == 0 {
			free = e
		}
	}
	if free != nil {
		*free = suspect{id: key.ID, key: key.Text}
		return free
	}
	for i := range s.entries {
		s.entries[i].count--
	}
	return nil
}

// list gives the suspended keys.
func (s *suspects) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for i := range s.entries {
		if e := &s.entries[i]; e.count > 0 && s.suspended(e) {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// hash names a forwarded address; never 0.
func (g *Guard) hash(forwarded []byte) uint64 {
	if len(forwarded) == 0 {
		return 0
	}
	return bucket.Hash(g.seed, forwarded) | 1
}
