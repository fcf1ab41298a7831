package herd

// intake is what lies before the server: a machine that takes attempts in one after the other, those that will be refused as
// well. It has no limit of its own and refuses nobody; it makes a wave of clients in step as wide as it needs for them, so that
// more of them find room than when all arrive in one instant.
type intake struct {
	each int64 // ticks of an attempt, times 2^10; 0: no machine
	free int64 // when it will have taken in all it has, in the same unit
	line []waiting
	head int
}

type waiting struct {
	at   int64 // when it will be through, a tick
	word uint64
}

const intakeBits = 10

func newIntake(rate float64) intake {
	if rate == 0 {
		return intake{}
	}
	return intake{each: max(1, int64(float64(1000<<(tickBits+intakeBits))/rate))}
}

// empty reports whether nobody waits.
func (i *intake) empty() bool { return i.head == len(i.line) }

// pass takes the arrivals of a millisecond in and lets out those that are through by its end, with that as their time.
func (i *intake) pass(ms int64, list []uint64) []uint64 {
	order(list)
	for _, w := range list {
		i.free = max(i.free, (ms<<tickBits|int64(w>>subShift&subMask))<<intakeBits) + i.each
		i.line = append(i.line, waiting{i.free >> intakeBits, w})
	}
	through := list[:0:0]
	for ; !i.empty() && i.line[i.head].at>>tickBits <= ms; i.head++ {
		next := i.line[i.head]
		through = append(through, uint64(next.at)<<subShift|next.word&(1<<subShift-1))
	}
	if i.empty() {
		i.line, i.head = i.line[:0], 0
	}
	return through
}
