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

// table finds clients by open addressing. A slot is 32 bits: in the lower ones, as many as the number of slots needs, the
// client's place plus one, and above them bits of its hash, which spare a look at a wrong entry. The entries lie in slabs of
// 256 KB that never move, so growing costs the slots alone. The hash of a short key is a0·k0 + a1·k1 with secret odd
// multipliers, which is universal: whoever does not know the seed cannot make keys that collide more often than chance.
type table struct {
	slabs []*[slabSize]entry
	n     int
	slots []uint32
	shift uint // 64 − log₂ of the slots
	a0    uint64
	a1    uint64
	seed  uint64
	long  []text
	pool  []byte        // the texts of long keys, the current block
	wide  map[int]*sums // by place: intervals too long for the entry
	part  uint64        // the upper bits of first
	next  uint64        // the lower ones, of the next new client

	nowhere entry  // where an empty slot points while a batch is looked up
	touched uint64 // keeps the compiler from leaving out flush's touches
}

type text struct{ s []byte }

func newTable(seed uint64) *table {
	t := &table{seed: seed, slots: make([]uint32, 1<<10), shift: 64 - 10}
	t.a0 = connlog.Hash(seed, []byte("first word")) | 1
	t.a1 = connlog.Hash(seed, []byte("second word")) | 1
	t.nowhere.key[1] = 1 // no key has this: its length would be 0
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
	places := uint32(len(t.slots) - 1)
	tag := uint32(h>>8) &^ places
	for i := uint32(h >> t.shift); ; i = (i + 1) & places {
		s := t.slots[i]
		if s == 0 {
			return t.insert(h, k)
		}
		if s&^places == tag {
			if place := int(s&places) - 1; t.at(place).key == k {
				return place
			}
		}
	}
}

func (t *table) findLong(key []byte) int { return t.findHashed(connlog.Hash(t.seed, key), key) }

func (t *table) findHashed(h uint64, key []byte) int {
	places := uint32(len(t.slots) - 1)
	tag := uint32(h>>8) &^ places
	for i := uint32(h >> t.shift); ; i = (i + 1) & places {
		s := t.slots[i]
		if s == 0 {
			t.long = append(t.long, text{t.keep(key)})
			return t.insert(h, [2]uint64{h, longKey | uint64(len(t.long)-1)})
		}
		if s&^places == tag {
			if place := int(s&places) - 1; t.isLong(t.at(place), h, key) {
				return place
			}
		}
	}
}

// isLong reports whether an entry is that of a long key.
func (t *table) isLong(e *entry, h uint64, key []byte) bool {
	return e.key[0] == h && e.key[1]>>56 == 0xff && bytes.Equal(t.long[e.key[1]&^longKey].s, key)
}

func (t *table) keep(key []byte) []byte {
	if len(t.pool)+len(key) > cap(t.pool) {
		t.pool = make([]byte, 0, max(64<<10, len(key)))
	}
	n := len(t.pool)
	t.pool = append(t.pool, key...)
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
	e := t.at(place)
	e.key, e.first = k, t.part|t.next
	t.next++
	t.put(h, place)
	return place
}

func (t *table) put(h uint64, place int) {
	places := uint32(len(t.slots) - 1)
	i := uint32(h >> t.shift)
	for t.slots[i] != 0 {
		i = (i + 1) & places
	}
	t.slots[i] = uint32(h>>8)&^places | uint32(place+1)
}

// hash is that of the entry at a place.
func (t *table) hash(place int) uint64 {
	k := t.at(place).key
	if k[1]>>56 == 0xff {
		return k[0]
	}
	return k[0]*t.a0 + k[1]*t.a1
}

// grow doubles the slots and places every client anew.
func (t *table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	t.shift--
	for place := range t.n - 1 {
		t.put(t.hash(place), place)
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
