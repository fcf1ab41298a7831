package gateway

import (
	"sync"
	"time"
)

// BinWidth is the width of the bins in which arrivals are counted.
const BinWidth = 100 * time.Millisecond

// Stats is what a gateway has seen so far; counts are since the start.
type Stats struct {
	Attempts int64   // sockets accepted
	Opened   int64   // handshakes answered with 101
	Rejected int64   // told to come back later
	Silenced int64   // closed without an answer: over the descriptor limit, or in an outage
	Broken   int64   // no handshake, or gone before its end
	Closed   int64   // sessions ended
	Open     int     // sessions now
	Waiting  int     // handshakes waiting now
	Deepest  int     // the most that ever waited
	Arrivals []int32 // attempts per BinWidth since the start
	Opens    []int32 // sessions begun per BinWidth since the start
}

type counts struct {
	mu    sync.Mutex
	start time.Time
	s     Stats
}

func (c *counts) arrived(now time.Time) {
	c.mu.Lock()
	c.s.Attempts++
	c.s.Arrivals = bump(c.s.Arrivals, now.Sub(c.start))
	c.mu.Unlock()
}

func (c *counts) opened(now time.Time) {
	c.mu.Lock()
	c.s.Opened++
	c.s.Opens = bump(c.s.Opens, now.Sub(c.start))
	c.mu.Unlock()
}

func (c *counts) add(field *int64) {
	c.mu.Lock()
	*field++
	c.mu.Unlock()
}

func bump(bins []int32, at time.Duration) []int32 {
	i := max(0, int(at/BinWidth))
	for len(bins) <= i {
		bins = append(bins, 0)
	}
	bins[i]++
	return bins
}
