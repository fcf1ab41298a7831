package stat

// Draw is the random number of one client at one attempt: 64 well-mixed bits that depend on nothing but the three
// arguments. For a fixed seed and client it visits no value twice over all attempts. The mixing is the finalizer of
// SplitMix64 (Steele, Lea and Flood 2014, constants by Stafford 2011) after each argument, so that neighbouring seeds,
// clients and attempts are unrelated.
func Draw(seed, client, attempt uint64) uint64 { return Seeded(seed).Draw(client, attempt) }

// Draws is Draw under one seed, whose share of the mixing is done: a simulation draws hundreds of millions of numbers from
// one seed. Seeded makes it; the zero value is no seed's.
type Draws uint64

// Seeded gives the draws under a seed.
func Seeded(seed uint64) Draws { return Draws(Mix(seed + 0x9e3779b97f4a7c15)) }

// Draw is the random number of one client at one attempt.
func (d Draws) Draw(client, attempt uint64) uint64 {
	x := Mix(uint64(d) ^ (client*0xd1342543de82ef95 + 0x9e3779b97f4a7c15))
	return Mix(x ^ (attempt*0xda942042e4dd58b5 + 0x2545f4914f6cdd1d))
}

// Mix makes another number of 64 random bits: the finalizer of SplitMix64, a bijection that keeps 0.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Unit maps 64 random bits to [0, 1): the top 53 bits, equally spaced, 1 never reached.
func Unit(u uint64) float64 { return float64(float64(int64(u>>11)) * 0x1p-53) }
