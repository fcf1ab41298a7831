package fleet

import "github.com/stormlint/stormlint/core/stat"

// Options of the tests; the zero value means exact stamps and an error rate of one in a thousand.
type Options struct {
	Resolution int64   // ns, the coarsest stamp counted; 0 is exact
	From, To   int64   // ns, the log's own range where it is wider than that of what was counted; both 0: it is not
	Alpha      float64 // chance that a log without a herd is said to have one, over all scales; 0 means 0.001
}

func (o Options) alpha() float64 {
	if o.Alpha > 0 {
		return o.Alpha
	}
	return 0.001
}

const (
	scales  = 6                        // 0.125, 0.25, 0.5, 1, 2, 4 s
	segment = 256 * 1_000_000_000      // ns: a storm of a minute must not drown in a day
	finest  = int64(1_000_000_000) / 8 // ns
)

// Scale is what the test says at one width of bins.
type Scale struct {
	Width  int64   // ns, 0.125 to 4 s
	P      float64 // chance of such clumping without a herd, counted for all scales and stretches; at most 1
	Factor float64 // Σd²/ΣN in the most clumped stretch: 1 by chance, the number of clients for a herd without jitter
	From   int64   // where that stretch of 256 s begins; the whole log's beginning if it is shorter
}

// Herd is the answer of the clumping test.
type Herd struct {
	Scales  []Scale // those that the stamps allow; empty where none is
	P       float64 // the smallest of the scales'; 1 without scales
	Clumped bool    // P is below Alpha
}

// usable reports that stamps of a resolution fall evenly into bins of a width.
func usable(width, resolution int64) bool {
	return resolution <= 1 || width%resolution == 0 || width >= 64*resolution
}

// Clumping tests whether instants are more clumped than independent ones with any slowly changing rate. Half of the error
// rate goes to the whole log, half to its stretches of 256 s, each with its share. Blocks are laid twice, the second time
// one bin earlier: a burst across the edge of bins 1 and 2 cancels in one way of laying and counts in full in the other.
func Clumping(c *Counts, o Options) Herd {
	herd := Herd{P: 1}
	from, to := c.Range()
	if c.Total() < 8 {
		return herd
	}
	stretches := floorDiv(to-1, segment) - floorDiv(from, segment) + 1
	used := 0
	var all [2 * scales]sums
	for i := range all {
		all[i].width, all[i].shift = finest<<(i/2), int64(i%2)
		all[i].on = all[i].width >= c.Width() && usable(all[i].width, o.Resolution)
		if all[i].on {
			used++
		}
		all[i].least = 1
		all[i].first, all[i].last = all[i].number(from), all[i].number(to-1)
	}
	if used == 0 {
		return herd
	}
	c.Each(func(at int64, n uint32) {
		for i := range all {
			if all[i].on {
				all[i].add(at, n)
			}
		}
	})
	for i := 0; i < len(all); i += 2 {
		if !all[i].on {
			continue
		}
		x := Scale{Width: all[i].width, P: 1, From: from}
		for j := i; j < i+2; j++ {
			s := &all[j]
			s.flush()
			s.stretch()
			p, factor, start := s.whole.p(), s.whole.factor(), from
			if stretches > 1 {
				p = min(2*p, 2*float64(stretches)*s.least)
				factor, start = s.worst, s.start
			}
			if p = min(1, p*float64(used)); p < x.P || j == i {
				x.P, x.Factor, x.From = p, factor, start
			}
		}
		herd.Scales = append(herd.Scales, x)
		herd.P = min(herd.P, x.P)
	}
	herd.Clumped = herd.P < o.alpha()
	return herd
}

// moments are the sums of the test: of d²/N, of blocks, of 1 − 1/N, of d², of N.
type moments struct{ x, blocks, free, squares, events float64 }

func (m *moments) add(n [4]uint64) {
	sum := float64(n[0] + n[1] + n[2] + n[3])
	if sum < 2 {
		return
	}
	d := float64(n[0]) - float64(n[1]) - float64(n[2]) + float64(n[3])
	m.x += float64(d*d) / sum
	m.blocks++
	m.free += 1 - 1/sum
	m.squares += float64(d * d)
	m.events += sum
}

// p refers x, whose mean is blocks and whose variance is 2·free, to the scaled χ² with those moments.
func (m *moments) p() float64 {
	if m.blocks == 0 || m.free == 0 {
		return 1
	}
	scale := m.free / m.blocks
	return stat.ChiSquareTail(m.x/scale, m.blocks/scale)
}

func (m *moments) factor() float64 {
	if m.events == 0 {
		return 1
	}
	return m.squares / m.events
}

// sums walks through one scale's blocks of four bins in order of time.
type sums struct {
	width        int64
	shift        int64 // bins by which blocks begin earlier
	on           bool
	block        int64
	first, last  int64
	n            [4]uint64
	any          bool
	whole, part  moments
	at           int64 // the stretch of part
	least, worst float64
	start        int64
}

func (s *sums) number(at int64) int64 { return (floorDiv(at, s.width) + s.shift) >> 2 }

func (s *sums) add(at int64, n uint32) {
	bin := floorDiv(at, s.width) + s.shift
	if block := bin >> 2; block != s.block || !s.any {
		s.flush()
		s.block, s.any = block, true
	}
	s.n[bin&3] += uint64(n)
}

func (s *sums) flush() {
	if !s.any {
		return
	}
	if at := floorDiv((s.block*4-s.shift)*s.width, segment); at != s.at {
		s.stretch()
		s.at = at
	}
	if s.block > s.first && s.block < s.last { // the log may begin or end within the others
		s.whole.add(s.n)
		s.part.add(s.n)
	}
	s.n = [4]uint64{}
}

func (s *sums) stretch() {
	if p := s.part.p(); s.part.blocks > 0 && (p < s.least || s.worst == 0) {
		s.least, s.worst, s.start = p, s.part.factor(), s.at*segment
	}
	s.part = moments{}
}
