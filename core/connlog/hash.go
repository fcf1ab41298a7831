package connlog

import "math/bits"

// Hash is a 64-bit hash of text under a seed: for request ids, and for tables of clients, where a secret seed keeps
// hostile keys from colliding on purpose. Two multiplications of 64 to 128 bits for each 16 bytes (the construction of Wang Yi's wyhash, 2019);
// equal on every platform.
func Hash(seed uint64, text []byte) uint64 {
	const (
		k0 = 0xa0761d6478bd642f
		k1 = 0xe7037ed1a0b428db
		k2 = 0x8ebc6af09c88c6e3
	)
	n := len(text)
	h := seed ^ k0
	for len(text) > 16 {
		h = mix(word8(text)^k1, word8(text[8:])^h)
		text = text[16:]
	}
	var a, b uint64
	if len(text) > 8 {
		a, b = word8(text), tail(text[8:])
	} else {
		a = tail(text)
	}
	return mix(k2^uint64(n), mix(a^k1, b^h))
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func word8(p []byte) uint64 {
	_ = p[7]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
		uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}

// tail is word8 for at most eight bytes.
func tail(p []byte) (v uint64) {
	for i := min(len(p), 8) - 1; i >= 0; i-- {
		v = v<<8 | uint64(p[i])
	}
	return v
}
