package guard

import (
	"sync"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
)

// suspects are the undeclared proxies (address.Suspects), behind a lock.
type suspects struct {
	mu   sync.Mutex
	list address.Suspects
}

// observe counts a handshake of a peer that declared a forwarded address (hash 0: none), and tells whether the client's
// limit is suspended for it; news is true when that has just begun.
func (s *suspects) observe(key Key, forwarded uint64, now int64) (suspended, news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list.Observe(key.Text, key.ID, forwarded, now)
}

// keys gives the suspended keys.
func (s *suspects) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list.List()
}

// hash names a forwarded address; never 0.
func (g *Guard) hash(forwarded []byte) uint64 {
	if len(forwarded) == 0 {
		return 0
	}
	return bucket.Hash(g.seed, forwarded) | 1
}
