package herd

// queue holds the clients' next arrivals in buckets of one millisecond: a wheel of 2^17 ms (131 s) of chunked arrays, and
// beyond it blocks of 65.5 s that are dealt out when the wheel comes near. Nothing is ever compared or moved inside a
// bucket: a push is two writes, whatever the number of clients.
//
// Note: a binary heap of the same events costs log2(N) comparisons with a cache miss each; measured with a million
// clients it is some thirty times slower (see the bench).
type queue struct {
	heads   []uint32  // per bucket the position of its last word in pool; 0 means empty
	pool    []uint64  // chunks of 16 words: a link to the previous chunk's last position, then up to 15 events
	free    uint32    // the first chunk of the list of free ones; 0 means none
	far     [][]later // per block of 2^16 ms
	base    int64     // the wheel reaches from base, a multiple of 2^16 ms, to base + 2^17
	pending int64     // events waiting
}

// later is an event beyond the wheel.
type later struct {
	ms   int64
	word uint64
}

const (
	wheelBits  = 17
	wheelMask  = 1<<wheelBits - 1
	blockBits  = 16
	chunkWords = 16
)

func newQueue(clients int) *queue {
	q := &queue{heads: make([]uint32, 1<<wheelBits)}
	q.pool = make([]uint64, chunkWords, chunkWords*(64+clients/8))
	return q
}

// push files the event; ms must not lie before the bucket that is being read.
func (q *queue) push(ms int64, word uint64) {
	if ms >= q.base+1<<wheelBits {
		q.pushFar(ms, word)
		return
	}
	head := &q.heads[ms&wheelMask]
	p := *head
	if p&(chunkWords-1) == chunkWords-1 || p == 0 {
		p = q.chunk(p)
	}
	p++
	q.pool[p] = word
	*head = p
	q.pending++
}

func (q *queue) pushFar(ms int64, word uint64) {
	block := int(ms >> blockBits)
	for len(q.far) <= block {
		q.far = append(q.far, nil)
	}
	q.far[block] = append(q.far[block], later{ms, word})
	q.pending++
}

// chunk hands out an empty chunk that links back to position p.
func (q *queue) chunk(p uint32) uint32 {
	c := q.free
	if c != 0 {
		q.free = uint32(q.pool[c])
	} else {
		c = uint32(len(q.pool))
		if len(q.pool)+chunkWords > cap(q.pool) {
			grown := make([]uint64, len(q.pool), 2*cap(q.pool))
			copy(grown, q.pool)
			q.pool = grown
		}
		q.pool = q.pool[:len(q.pool)+chunkWords]
	}
	q.pool[c] = uint64(p)
	return c
}

// reach moves the wheel so that it covers ms and the block after it; blocks are entered one after the other.
func (q *queue) reach(ms int64) {
	for q.base+1<<blockBits <= ms {
		q.base += 1 << blockBits
		next := int(q.base>>blockBits) + 1
		if next < len(q.far) {
			list := q.far[next]
			q.far[next] = nil
			q.pending -= int64(len(list))
			for _, e := range list {
				q.push(e.ms, e.word)
			}
		}
	}
}

// take appends the bucket's events to list in no particular order and empties the bucket.
func (q *queue) take(ms int64, list []uint64) []uint64 {
	p := q.heads[ms&wheelMask]
	q.heads[ms&wheelMask] = 0
	for p != 0 {
		c := p &^ (chunkWords - 1)
		list = append(list, q.pool[c+1:p+1]...)
		p = uint32(q.pool[c])
		q.pool[c] = uint64(q.free)
		q.free = c
	}
	q.pending -= int64(len(list))
	return list
}
