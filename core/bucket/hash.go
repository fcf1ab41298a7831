package bucket

import "math/bits"

// Hash names a key for a Table: 64 bits that nobody can predict without the seed, so that nobody can aim at one set.
// It folds 128-bit products as wyhash does (Wang Yi, 2019); equal seeds give equal hashes everywhere. A host draws its
// seed at random at each start; a simulation or a replay says it.
func Hash[T ~string | ~[]byte](seed uint64, key T) uint64 {
	const k0, k1, k2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	h := fold(seed^k0, uint64(len(key))^k1)
	for ; len(key) > 16; key = key[16:] {
		h = fold(word(key[:8])^k1, word(key[8:16])^h)
	}
	var a, b uint64
	if len(key) > 8 {
		a, b = word(key[:8]), tail(key[8:])
	} else {
		a = tail(key)
	}
	return fold(h^k2, fold(a^k1^seed, b^h))
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// word reads eight bytes, the first lowest.
func word[T ~string | ~[]byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// tail reads up to eight bytes.
func tail[T ~string | ~[]byte](s T) uint64 {
	if len(s) == 8 {
		return word(s)
	}
	var v uint64
	for i := range len(s) {
		v |= uint64(s[i]) << (8 * i)
	}
	return v
}
