package watch

import (
	"math/bits"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/fleet"
	"github.com/stormlint/stormlint/core/stat"
)

const (
	registers = 1 << 10
	grid      = 25 * civil.Millisecond
	cells     = int(civil.Minute / grid)
)

// minute is what is counted of one minute.
type minute struct {
	number    int64 // since 1970
	workers   uint32
	attempts  uint32
	admitted  uint32
	refused   uint32 // or would have been
	registers [registers]uint8
	cells     [cells]uint16
}

// count counts an attempt of this minute.
func (m *minute) count(id uint64, refused bool, wall int64) {
	m.attempts++
	if refused {
		m.refused++
	} else {
		m.admitted++
	}
	h := id * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	at := h >> (64 - 10)
	m.registers[at] = max(m.registers[at], uint8(bits.LeadingZeros64(h<<10|1<<9)+1))
	cell := &m.cells[wall%civil.Minute/grid]
	*cell += uint16(min(1, 0xffff-*cell))
}

// add adds what another worker has counted of the same minute.
func (m *minute) add(o *minute) {
	m.workers += o.workers
	m.attempts += o.attempts
	m.admitted += o.admitted
	m.refused += o.refused
	for i, r := range o.registers {
		m.registers[i] = max(m.registers[i], r)
	}
	for i, n := range o.cells {
		m.cells[i] += min(n, 0xffff-m.cells[i])
	}
}

// clients estimates how many different ones came.
func (m *minute) clients() int64 {
	sum, empty := 0.0, 0
	for _, r := range m.registers {
		sum += 1 / float64(uint64(1)<<r)
		if r == 0 {
			empty++
		}
	}
	const n = float64(registers)
	e := 0.7213 / (1 + 1.079/n) * n * n / sum
	if empty > 0 && e <= 2.5*n {
		e = n * stat.Log(n/float64(empty)) // linear counting
	}
	return min(int64(e+0.5), int64(m.attempts))
}

// peak is the most attempts within 100 ms.
func (m *minute) peak() (most int) {
	sum := 0
	for i, n := range m.cells {
		sum += int(n)
		if i >= 4 {
			sum -= int(m.cells[i-4])
		}
		most = max(most, sum)
	}
	return most
}

// herd asks whether they came together. One quiet minute in a million is said to have a herd: one in two years.
func (m *minute) herd() fleet.Herd {
	var c fleet.Counts
	from := m.number * civil.Minute
	for i, n := range m.cells {
		if n > 0 {
			c.Add(from+int64(i)*grid, uint32(n))
		}
	}
	return fleet.Clumping(&c, fleet.Options{Resolution: civil.Millisecond, From: from, To: from + civil.Minute, Alpha: 1e-6})
}

const (
	minuteMark = "stlmmn\x00\x01"
	minuteSize = 8 + 8 + 4*4 + registers + 2*cells
)

func (m *minute) append(b []byte) []byte {
	b = append(b, minuteMark...)
	b = append8(b, uint64(m.number))
	for _, v := range [...]uint32{m.workers, m.attempts, m.admitted, m.refused} {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	b = append(b, m.registers[:]...)
	for _, n := range m.cells {
		b = append(b, byte(n), byte(n>>8))
	}
	return b
}

// load reads what append has written; false for anything else, such as what another version wrote.
func (m *minute) load(b []byte) bool {
	if len(b) != minuteSize || string(b[:8]) != minuteMark {
		return false
	}
	m.number = int64(read8(b[8:]))
	b = b[16:]
	for _, v := range [...]*uint32{&m.workers, &m.attempts, &m.admitted, &m.refused} {
		*v = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		b = b[4:]
	}
	for i := range m.registers {
		m.registers[i] = min(b[i], 63)
	}
	b = b[registers:]
	for i := range m.cells {
		m.cells[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return true
}

func append8(b []byte, v uint64) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
}

func read8(b []byte) (v uint64) {
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}
