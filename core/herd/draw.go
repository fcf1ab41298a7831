package herd

// draws is stat.Draw with the seed's share of the mixing done once: a simulation draws hundreds of millions of numbers
// from one seed. The test holds it equal to stat.Draw.
type draws uint64

func newDraws(seed uint64) draws { return draws(mix(seed + 0x9e3779b97f4a7c15)) }

func (d draws) at(client, attempt uint64) uint64 {
	x := mix(uint64(d) ^ (client*0xd1342543de82ef95 + 0x9e3779b97f4a7c15))
	return mix(x ^ (attempt*0xda942042e4dd58b5 + 0x2545f4914f6cdd1d))
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
