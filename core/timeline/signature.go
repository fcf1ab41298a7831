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

// unitIndex is the index of the coarsest unit that divides v, at least from. Division by constants, here and below, because
// it runs for every event.
func unitIndex(v int64, from uint8) uint8 {
	switch {
	case from == 0 && v%civil.Second == 0:
		return 0
	case from <= 1 && v%civil.Millisecond == 0:
		return 1
	case from <= 2 && v%civil.Microsecond == 0:
		return 2
	}
	return uint8(len(units) - 1)
}

// inUnits is v divided by a unit, rounded toward zero.
func inUnits(v int64, unit uint8) int64 {
	switch unit {
	case 0:
		return v / civil.Second
	case 1:
		return v / civil.Millisecond
	case 2:
		return v / civil.Microsecond
	}
	return v
}

// floorUnits is v divided by a unit, rounded down.
func floorUnits(v int64, unit uint8) int64 {
	q := inUnits(v, unit)
	if q*units[unit] > v {
		q--
	}
	return q
}

// interned hands out numbers for signatures and words.
type interned struct {
	signatures []Signature
	numbers    map[Signature]uint32
	words      []string
	wordOf     map[string]Word

	// What came last, so that most events need no map.
	signed [16]familiar
	said   [16]Word
	path   []byte // as it was printed
	route  Word   // its pattern
	text   []byte // of it
}

// familiar is what a signature is told by, packed, and its number plus one; 0 for none.
type familiar struct {
	codes uint64
	texts [3]uint64
	next  uint32
}

// Four bits hold each of these.
const _ = uint(15-connlog.TLS) + uint(15-connlog.ByTakeover) + uint(15-connlog.MQTT) + uint(15-connlog.Close)

func newInterned() interned {
	return interned{numbers: map[Signature]uint32{}, words: []string{""}, wordOf: map[string]Word{"": 0}}
}

// familiar gives the place of the signatures that came last and have such codes.
func (n *interned) familiar(codes uint64) *familiar {
	return &n.signed[codes*0x9e3779b97f4a7c15>>60]
}

func (n *interned) signature(s *Signature) uint32 {
	i, known := n.numbers[*s]
	if !known {
		i = uint32(len(n.signatures))
		n.signatures = append(n.signatures, *s)
		n.numbers[*s] = i
	}
	return i
}

func (n *interned) word(text []byte) Word {
	if len(text) == 0 {
		return 0
	}
	last := &n.said[(len(text)^int(text[len(text)-1])^int(text[0])<<1)%len(n.said)]
	if n.words[*last] == string(text) {
		return *last
	}
	w, known := n.wordOf[string(text)]
	if !known {
		w = Word(len(n.words))
		s := string(text)
		n.words = append(n.words, s)
		n.wordOf[s] = w
	}
	*last = w
	return w
}

// pattern gives the word of a path's pattern.
func (n *interned) pattern(path []byte) Word {
	if len(path) != len(n.path) || string(path) != string(n.path) {
		n.text = appendPattern(n.text[:0], path)
		n.route = n.word(n.text)
		n.path = append(n.path[:0], path...)
	}
	return n.route
}
