package compat

import (
	"bytes"
	"math/bits"

	"github.com/stormlint/stormlint/core/connlog"
)

// entry is one client, in one line of the cache. A key of at most 15 bytes is kept in the entry itself: its bytes in key[0]
// and the lower seven of key[1], padded with zeros, and its length in the last. A longer key has longKey there, its hash in
// key[0] and its place among the table's texts in the rest of key[1].
type entry struct {
	key    [2]uint64
	total  uint64
	n      uint64
	sum    int64  // of intervals below 2³¹ in magnitude; the others are in the table's wide sums
	sq     uint64 // of their squares, low word
	sqHigh uint64
	first  uint64 // when it was first seen: source, part, order within the part
}

const (
	longKey  = 0xff << 56
	slabBits = 12
	slabSize = 1 << slabBits
	wideFrom = 1 << 31
)

// table finds clients by open addressing over slots that hold 32 bits of hash and a place; the entries themselves lie in
// slabs of 256 KB that never move, so growing costs the slots alone. The hash of a short key is a0·k0 + a1·k1 with secret
// odd multipliers, which is universal: whoever does not know the seed cannot make keys that collide more often than chance.
type table struct {
	slabs []*[slabSize]entry
	n     int
	slots []uint64
	shift uint // 64 − log₂ of the slots
	a0    uint64
	a1    uint64
	seed  uint64
	long  []text
	pool  []byte // the texts of long keys, the current block
	bytes int
	wide  map[int]*sums // by place: intervals too long for the entry
	part  uint64        // the upper bits of first

	touched uint64 // keeps the compiler from leaving out flush's touches
}

type text struct{ s []byte }

func newTable(seed uint64) *table {
	t := &table{seed: seed, slots: make([]uint64, 1<<10), shift: 64 - 10}
	t.a0 = connlog.Hash(seed, []byte("first word")) | 1
	t.a1 = connlog.Hash(seed, []byte("second word")) | 1
	return t
}

func (t *table) at(place int) *entry { return &t.slabs[place>>slabBits][place&(slabSize-1)] }

// short packs a key of at most 15 bytes.
func short(key []byte) (k [2]uint64) {
	for i, c := range key {
		k[i>>3] |= uint64(c) << (i & 7 * 8)
	}
	k[1] |= uint64(len(key)) << 56
	return k
}

// find gives the place of a key, adding it where it is new.
func (t *table) find(key []byte) int {
	if len(key) <= 15 {
		return t.findShort(short(key))
	}
	return t.findLong(key)
}

func (t *table) findShort(k [2]uint64) int {
	h := k[0]*t.a0 + k[1]*t.a1
	mask := uint64(len(t.slots) - 1)
	for i := h >> t.shift; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return t.insert(h, k)
		}
		if s>>32 == h>>32 {
			place := int(uint32(s)) - 1
			if t.at(place).key == k {
				return place
			}
		}
	}
}

func (t *table) findLong(key []byte) int { return t.findHashed(connlog.Hash(t.seed, key), key) }

func (t *table) findHashed(h uint64, key []byte) int {
	mask := uint64(len(t.slots) - 1)
	for i := h >> t.shift; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			t.long = append(t.long, text{t.keep(key)})
			return t.insert(h, [2]uint64{h, longKey | uint64(len(t.long)-1)})
		}
		if s>>32 == h>>32 {
			place := int(uint32(s)) - 1
			if e := t.at(place); e.key[0] == h && e.key[1]>>56 == 0xff && bytes.Equal(t.long[e.key[1]&^longKey].s, key) {
				return place
			}
		}
	}
}

func (t *table) keep(key []byte) []byte {
	if len(t.pool)+len(key) > cap(t.pool) {
		t.pool = make([]byte, 0, max(64<<10, len(key)))
	}
	n := len(t.pool)
	t.pool = append(t.pool, key...)
	t.bytes += len(key)
	return t.pool[n:len(t.pool):len(t.pool)]
}

// insert adds an entry for a key that is not there.
func (t *table) insert(h uint64, k [2]uint64) int {
	place := t.n
	if place&(slabSize-1) == 0 {
		t.slabs = append(t.slabs, new([slabSize]entry))
	}
	t.n++
	if 2*t.n > len(t.slots) {
		t.grow()
	}
	t.put(h>>32, uint64(place+1))
	e := t.at(place)
	e.key, e.first = k, t.part|uint64(place)
	return place
}

func (t *table) put(tag, place uint64) {
	mask := uint64(len(t.slots) - 1)
	i := tag >> (t.shift - 32)
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = tag<<32 | place
}

// grow doubles the slots; 32 bits of hash are enough to place them anew, up to 2³² of them.
func (t *table) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	t.shift--
	for _, s := range old {
		if s != 0 {
			t.put(s>>32, s&(1<<32-1))
		}
	}
}

// count adds one record to a client; has is 1 with an interval and 0 without, where interval must be 0.
func (t *table) count(place int, interval int64, has uint64) {
	e := t.at(place)
	e.total++
	if interval >= wideFrom || interval <= -wideFrom {
		t.countWide(place, interval)
		return
	}
	e.n += has
	e.sum += interval
	var c uint64
	e.sq, c = bits.Add64(e.sq, uint64(interval*interval), 0)
	e.sqHigh += c
}

func (t *table) countWide(place int, interval int64) {
	if t.wide == nil {
		t.wide = map[int]*sums{}
	}
	if t.wide[place] == nil {
		t.wide[place] = &sums{}
	}
	t.wide[place].add(interval)
}

// sums gives a client's totals.
func (t *table) sums(place int) sums {
	e := t.at(place)
	s := sums{total: e.total, n: e.n, lo: uint64(e.sum), hi: uint64(e.sum >> 63), sq: [3]uint64{e.sq, e.sqHigh, 0}}
	if w := t.wide[place]; w != nil {
		s.merge(w)
	}
	return s
}

// merge adds totals to a client; what does not fit its entry goes to the wide sums.
func (t *table) merge(place int, o *sums) {
	s := t.sums(place)
	s.merge(o)
	e := t.at(place)
	e.total = s.total
	if s.sq[2] == 0 && s.sq[1] < 1<<63 && s.hi == uint64(int64(s.lo)>>63) && (s.lo < 1<<62 || s.lo > 3<<62) {
		e.n, e.sum, e.sq, e.sqHigh = s.n, int64(s.lo), s.sq[0], s.sq[1]
		delete(t.wide, place)
		return
	}
	e.n, e.sum, e.sq, e.sqHigh = 0, 0, 0, 0
	if t.wide == nil {
		t.wide = map[int]*sums{}
	}
	s.total = 0
	t.wide[place] = &s
}

// key appends a client's key.
func (t *table) key(dst []byte, place int) []byte {
	k := t.at(place).key
	if k[1]>>56 == 0xff {
		return append(dst, t.long[k[1]&^longKey].s...)
	}
	for i := range int(k[1] >> 56) {
		dst = append(dst, byte(k[i>>3]>>(i&7*8)))
	}
	return dst
}
