package timeline

import (
	"math/bits"

	"github.com/stormlint/stormlint/core/connlog"
)

// index finds a client's number by its key: open addressing over numbers, four bytes a place; the keys lie end to end in
// one slice. Where a key lies is nobody's business, so no order of clients ever comes from here.
//
// The hash is under a seed. Whoever does not know it cannot write a log whose clients fall to one place, where every search
// would pass all of them; no result depends on it.
type index struct {
	seed   uint64
	places []uint32 // number + 1, 0 for empty; a power of two, at most three quarters full
	hashes []uint32 // of client i, so that growing needs no key
	ends   []uint32 // key i ends here
	keys   []byte
}

// find gives the number of a key, and adds it if it is new.
func (x *index) find(key []byte) (number uint32, fresh bool) { return x.findHashed(x.hash(key), key) }

// findHashed is find for a key whose hash is known.
func (x *index) findHashed(h uint32, key []byte) (number uint32, fresh bool) {
	if len(x.hashes)*4 >= len(x.places)*3 {
		x.grow()
	}
	mask := uint32(len(x.places) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		n := x.places[i]
		if n == 0 {
			number = uint32(len(x.hashes))
			x.places[i] = number + 1
			x.hashes = append(x.hashes, h)
			x.keys = append(x.keys, key...)
			x.ends = append(x.ends, uint32(len(x.keys)))
			return number, true
		}
		if x.hashes[n-1] == h && string(x.key(n-1)) == string(key) {
			return n - 1, false
		}
	}
}

func (x *index) hash(key []byte) uint32 { return uint32(connlog.Hash(x.seed, key)) }

// lookup is find without adding.
func (x *index) lookup(key []byte) (number uint32, ok bool) {
	if len(x.places) == 0 {
		return 0, false
	}
	h := x.hash(key)
	mask := uint32(len(x.places) - 1)
	for i := h & mask; x.places[i] != 0; i = (i + 1) & mask {
		if n := x.places[i] - 1; x.hashes[n] == h && string(x.key(n)) == string(key) {
			return n, true
		}
	}
	return 0, false
}

func (x *index) key(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = x.ends[i-1]
	}
	return x.keys[start:x.ends[i]:x.ends[i]]
}

func (x *index) grow() {
	x.places = make([]uint32, max(64, 2*len(x.places)))
	mask := uint32(len(x.places) - 1)
	for n, h := range x.hashes {
		i := h & mask
		for x.places[i] != 0 {
			i = (i + 1) & mask
		}
		x.places[i] = uint32(n) + 1
	}
}

// Hash gives 64 bits for a text: eight bytes at a time, folded by a 128-bit product. It serves the joining of
// ids and the choice of samples; it is the same everywhere and no secret.
func Hash(text []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(text)) * k1
	for len(text) >= 8 {
		h = fold(h^read64(text), k0)
		text = text[8:]
	}
	if len(text) > 0 {
		var tail [8]byte
		copy(tail[:], text)
		h = fold(h^read64(tail[:]), k0)
	}
	return fold(h^k1, k1)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
