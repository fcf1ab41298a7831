package herd

// queue holds the clients' next arrivals by millisecond, without ever comparing two of them. A push appends the event to
// a block of 32 ms, one of 4,096 that make a wheel of 131 s; beyond the wheel lie spans of 65.5 s that are dealt out when
// it comes near. When a block's turn comes its events are counted and dealt to their 32 milliseconds (a radix sort with
// one digit); what arrives meanwhile inside the present block is kept in 32 lists beside it.
//
// Note: a binary heap costs log2(N) comparisons with a cache miss each. A wheel of single milliseconds, tried first, costs
// one miss an event, because the ends of 30,000 lists fit no cache; the ends of 1,000 blocks do.
type queue struct {
	heads   [blocks]uint32 // per block the position of its last word in pool; a last place of a chunk means that it is full
	pool    []uint64       // chunks of 32 words: a link to the previous chunk's last position, then up to 31 events
	free    uint32         // the first chunk of the list of free ones; 0 means none, for chunk 0 holds nothing
	far     [][]later      // per span of 2^16 ms
	base    int64          // the wheel reaches from base, a multiple of 2^16 ms, to base + 2^17
	pending int64          // events waiting

	block  int64                // the present block: ms / 32
	sorted []uint64             // its events
	spare  []uint64             // a millisecond's events from both
	ends   [1 << blockBits]int  // per millisecond where its events end in sorted
	inside [1 << blockBits]list // events that were pushed into the present block
}

type list []uint64

// later is an event beyond the wheel.
type later struct {
	ms   int64
	word uint64
}

const (
	blockBits  = 5 // ms of a block
	wheelBits  = 17
	spanBits   = 16
	blocks     = 1 << (wheelBits - blockBits)
	chunkWords = 32
	full       = chunkWords - 1
	empty      = full           // of a block: the end of chunk 0
	blockShift = 64 - blockBits // of the ms within its block, in a word
)

func newQueue(clients int) *queue {
	q := &queue{block: -1}
	for i := range q.heads {
		q.heads[i] = empty
	}
	q.pool = make([]uint64, chunkWords, chunkWords*(64+clients/24))
	return q
}

// push files the event; its word begins with the low bits of ms, and ms lies in the future.
func (q *queue) push(ms int64, word uint64) {
	if ms >= q.base+1<<wheelBits || ms>>blockBits == q.block {
		q.pushAside(ms, word)
		return
	}
	head := &q.heads[ms>>blockBits&(blocks-1)]
	p := *head
	if p&full == full {
		p = q.chunk(p)
	}
	p++
	q.pool[p] = word
	*head = p
	q.pending++
}

func (q *queue) pushAside(ms int64, word uint64) {
	q.pending++
	if ms>>blockBits == q.block {
		i := ms & (1<<blockBits - 1)
		q.inside[i] = append(q.inside[i], word)
		return
	}
	s := int(ms >> spanBits)
	for len(q.far) <= s {
		q.far = append(q.far, nil)
	}
	q.far[s] = append(q.far[s], later{ms, word})
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

// reach makes the block of ms the present one; blocks are entered one after the other. It reports whether the block holds
// anything.
func (q *queue) reach(ms int64) bool {
	b := ms >> blockBits
	if b == q.block {
		return true
	}
	for q.base+1<<spanBits <= ms {
		q.base += 1 << spanBits
		if next := int(q.base>>spanBits) + 1; next < len(q.far) {
			list := q.far[next]
			q.far[next] = nil
			q.pending -= int64(len(list))
			for _, e := range list {
				q.push(e.ms, e.word)
			}
		}
	}
	head := &q.heads[b&(blocks-1)]
	if *head == empty {
		return false
	}
	q.block = b
	q.deal(head)
	return true
}

// deal sorts the block's events by their millisecond.
func (q *queue) deal(head *uint32) {
	var counts [1 << blockBits]int
	n := 0
	for p := *head; p != empty; {
		c := p &^ full
		for _, w := range q.pool[c+1 : p+1] {
			counts[w>>blockShift]++
		}
		n += int(p - c)
		p = uint32(q.pool[c])
	}
	if cap(q.sorted) < n {
		q.sorted = make([]uint64, n, n*5/4)
	}
	q.sorted = q.sorted[:n]
	at := 0
	for i, n := range counts {
		q.ends[i] = at
		at += n
	}
	sorted := q.sorted
	for p := *head; p != empty; {
		c := p &^ full
		for _, w := range q.pool[c+1 : p+1] {
			end := &q.ends[w>>blockShift]
			sorted[*end] = w
			*end++
		}
		p = uint32(q.pool[c])
		q.pool[c] = uint64(q.free)
		q.free = c
	}
	*head = empty
}

// take empties a millisecond of the present block; its events are in no particular order and stay valid until the next
// take.
func (q *queue) take(ms int64) []uint64 {
	i := ms & (1<<blockBits - 1)
	from := 0
	if i > 0 {
		from = q.ends[i-1]
	}
	list := q.sorted[from:q.ends[i]:q.ends[i]]
	if late := q.inside[i]; len(late) > 0 {
		q.spare = append(append(q.spare[:0], list...), late...)
		list = q.spare
		q.inside[i] = late[:0]
	}
	q.pending -= int64(len(list))
	return list
}
