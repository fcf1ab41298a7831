package bucket

import (
	"math/bits"
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
)

const (
	ways       = 8       // slots a set: two cache lines
	spare      = 3       // slots for each key that is expected to be live
	maxKeys    = 1 << 30 // 48 GiB
	defaultKey = 1 << 16
)

// set is 128 bytes: eight keys and their TATs, biased so that zero memory is eight full buckets.
type set struct {
	id  [ways]uint64
	tat [ways]uint64
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
	s := t.set(id)
	least := 0
	for i := range ways {
		if s.id[i] == id {
			tat, d := t.rule.decide(s.tat[i], t.clock, n)
			s.tat[i] = tat
			return d
		}
		if s.tat[i] < s.tat[least] {
			least = i
		}
	}
	// A newcomer inherits the smallest TAT of its set: nothing if that has passed, else at least what it may owe.
	old := s.tat[least]
	tat, d := t.rule.decide(old, t.clock, n)
	if tat != old {
		if old > t.clock {
			t.displaced++
		}
		s.id[least], s.tat[least] = id, tat
	}
	return d
}

// SetRule changes the rule; what clients owe stays, up to the debt of an empty bucket.
func (t *Table) SetRule(rule Rule) { t.rule = rule }

// Displaced counts the live keys that newcomers have pushed out: a figure that grows steadily asks for a larger table.
func (t *Table) Displaced() uint64 { return t.displaced }

// Bytes is the memory of the slots, in bytes; it never changes.
func (t *Table) Bytes() int { return len(t.sets) * ways * 16 }

// Live counts the keys whose buckets are not full at an instant; it walks the whole table.
func (t *Table) Live(now int64) int {
	n, at := 0, max(t.clock, bias(now))
	for i := range t.sets {
		for _, tat := range &t.sets[i].tat {
			if tat > at {
				n++
			}
		}
	}
	return n
}

func (t *Table) set(id uint64) *set {
	i, _ := bits.Mul64(id, uint64(len(t.sets)))
	return &t.sets[i]
}
