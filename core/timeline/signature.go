package timeline

import (
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// Signature is all of an event that repeats from event to event; a table holds each distinct one once.
type Signature struct {
	UserAgent, Path, Host, Group, Cause Word

	Status, CloseCode uint16
	Kind              connlog.Kind
	Outcome           connlog.Outcome
	ClosedBy          connlog.Party
	Transport         connlog.Transport

	resolution uint8 // index of resolutions
	unit       uint8 // index of units: the coarsest that all of the event's spans are multiples of
	has        flags
}

// Word names a string of the table; the zero Word is the empty string.
type Word uint32

// flags say which of the rare fields follow an event.
type flags uint8

const (
	hasDuration flags = 1 << iota
	hasInterval
	hasLate
	hasCount
	hasID
	hasConn
	allFlags = 1<<iota - 1
)

// resolutions are the widths that stamps have; another one counts as the next wider.
var resolutions = [...]int64{0, 1, civil.Microsecond, civil.Millisecond, 10 * civil.Millisecond, 100 * civil.Millisecond, civil.Second, civil.Minute, civil.Hour, civil.Day}

var units = [...]int64{civil.Second, civil.Millisecond, civil.Microsecond, 1}

// Resolution is the width of what the event's stamp can mean, ns; 0 is exact.
func (s *Signature) Resolution() int64 { return resolutions[s.resolution] }

// Failed reports an attempt of which it is known, or likely, that no session came of it.
func (s *Signature) Failed() bool { return s.Kind == connlog.Attempt && s.Outcome != connlog.OK }

func resolutionIndex(ns int64) uint8 {
	for i, r := range resolutions {
		if ns <= r {
			return uint8(i)
		}
	}
	return uint8(len(resolutions) - 1)
}

// unitIndex is the index of the coarsest unit that divides v, at least from.
func unitIndex(v int64, from uint8) uint8 {
	for int(from) < len(units)-1 && v%units[from] != 0 {
		from++
	}
	return from
}

// interned hands out numbers for signatures and words.
type interned struct {
	signatures []Signature
	numbers    map[Signature]uint32
	last       uint32 // the number given last, the likeliest to come again
	words      []string
	wordOf     map[string]Word
}

func newInterned() interned {
	return interned{numbers: map[Signature]uint32{}, words: []string{""}, wordOf: map[string]Word{"": 0}}
}

func (n *interned) signature(s Signature) uint32 {
	if int(n.last) < len(n.signatures) && n.signatures[n.last] == s {
		return n.last
	}
	i, known := n.numbers[s]
	if !known {
		i = uint32(len(n.signatures))
		n.signatures = append(n.signatures, s)
		n.numbers[s] = i
	}
	n.last = i
	return i
}

func (n *interned) word(text []byte) Word {
	if len(text) == 0 {
		return 0
	}
	w, known := n.wordOf[string(text)]
	if !known {
		w = Word(len(n.words))
		s := string(text)
		n.words = append(n.words, s)
		n.wordOf[s] = w
	}
	return w
}
