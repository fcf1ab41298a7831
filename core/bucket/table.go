package bucket

import (
	"math/bits"
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
)

const (
	ways       = 8       // slots a set, in two lines of four
	spare      = 3       // slots for each key that is expected to be live
	maxKeys    = 1 << 30 // 48 GiB
	defaultKey = 1 << 16
)

// slot is one key and its TAT, biased so that zero memory is a full bucket.
type slot struct{ id, tat uint64 }

// line is a cache line of 64 bytes.
type line [ways / 2]slot

// set is the two lines in which a key may lie; a bit of the key says which is its first, so that most decisions touch
// one line of memory.
type set [2]line

// find gives the key's place in the line, or a number beyond it. Written without a loop so that it compiles to
// conditional moves: which of four it is, no branch predictor can guess.
func (l *line) find(id uint64) int {
	at := len(l)
	if l[0].id == id {
		at = 0
	}
	if l[1].id == id {
		at = 1
	}
	if l[2].id == id {
		at = 2
	}
	if l[3].id == id {
		at = 3
	}
	return at
}

// least is the slot that is full soonest.
func (l *line) least() *slot {
	a, b := 0, 2
	if l[1].tat < l[0].tat {
		a = 1
	}
	if l[3].tat < l[2].tat {
		b = 3
	}
	if l[b].tat < l[a].tat {
		a = b
	}
	return &l[a]
}

// Table is the buckets of very many keys under one rule, in memory that never grows: 48 bytes for each key that is
// expected to be live, that is, to have taken a token within the last Span.
//
// While the live keys are no more than that, it answers as one Bucket for each key would, but for sets that chance has
// filled (when every key asks for half more than its limit, one decision in a thousand is a refusal too many). Beyond, it refuses too many newcomers, in the
// measure of the excess. It never admits one too many.
type Table struct {
	rule      Rule
	sets      []set
	clock     uint64
	displaced uint64
}

// NewTable makes a table for a number of live keys, from 1 to 2^30; 0 means 65,536 (3 MiB).
func NewTable(rule Rule, keys int) (*Table, error) {
	if keys == 0 {
		keys = defaultKey
	}
	if keys < 0 || keys > maxKeys {
		return nil, fault.Value("bucket", "keys", strconv.Itoa(keys), "1 to "+strconv.Itoa(maxKeys)+", or 0 for "+strconv.Itoa(defaultKey))
	}
	return &Table{rule: rule, sets: make([]set, (keys*spare+ways-1)/ways)}, nil
}

// Take asks for n tokens of one key, named by its hash (see Hash), at an instant; 0 or less looks without taking.
func (t *Table) Take(id uint64, now, n int64) Decision {
	t.clock = max(t.clock, bias(now))
	i, _ := bits.Mul64(id, uint64(len(t.sets)))
	d, displaced := t.sets[i].take(&t.rule, id, t.clock, n)
	if displaced {
		t.displaced++
	}
	return d
}

// take decides at an instant of a clock that does not run back; displaced says that a live key was pushed out.
func (s *set) take(r *Rule, id, clock uint64, n int64) (d Decision, displaced bool) {
	first := &s[id&1]
	at := first.find(id)
	if at < len(first) {
		first[at].tat, d = r.decide(first[at].tat, clock, n)
		return d, false
	}
	second := &s[id&1^1]
	if at = second.find(id); at < len(second) {
		second[at].tat, d = r.decide(second[at].tat, clock, n)
		return d, false
	}
	// A newcomer inherits the smallest TAT of its set: nothing if that has passed, else at least what it may owe.
	least := first.least()
	if least.tat > clock {
		if other := second.least(); other.tat < least.tat {
			least = other
		}
	}
	live := least.tat > clock
	least.tat, d = r.decide(least.tat, clock, n)
	if d.Allowed && n > 0 && !r.open {
		least.id = id
		return d, live
	}
	return d, false
}

// SetRule changes the rule; what clients owe stays, up to the debt of an empty bucket. It walks the whole table.
func (t *Table) SetRule(rule Rule) {
	if t.rule == rule {
		return
	}
	t.rule = rule
	most := t.clock + uint64(rule.span)
	for i := range t.sets {
		for j := range t.sets[i] {
			for k := range t.sets[i][j] {
				s := &t.sets[i][j][k]
				s.tat = min(s.tat, most)
			}
		}
	}
}

// Displaced counts the live keys that newcomers have pushed out: a figure that grows steadily asks for a larger table.
func (t *Table) Displaced() uint64 { return t.displaced }

// Bytes is the memory of the slots, in bytes; it never changes.
func (t *Table) Bytes() int { return len(t.sets) * ways * 16 }

// Live counts the keys whose buckets are not full at an instant; it walks the whole table.
func (t *Table) Live(now int64) int {
	n, at := 0, max(t.clock, bias(now))
	for i := range t.sets {
		for _, l := range &t.sets[i] {
			for _, s := range l {
				if s.tat > at {
					n++
				}
			}
		}
	}
	return n
}
