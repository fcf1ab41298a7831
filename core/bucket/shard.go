package bucket

import (
	"math/bits"

	"github.com/stormlint/stormlint/core/lapse"
)

// ShardSize is the length of a shard in its written form, in bytes.
const ShardSize = 16 + 16*ways

// shardMark begins a written shard; its last byte is the version of the form.
const shardMark = "stlmbk\x00\x01"

// Shard is one set of a Table, alone and with a clock of its own, for tables that lie outside of this process: each
// decision reads a shard, takes from it, and writes it back if nobody else has meanwhile (compare-and-set). Keys are
// spread over the shards as over a Table's sets by ShardOf, and the answers are the Table's. The zero Shard is full
// buckets.
type Shard struct {
	set   set
	clock uint64
}

// Shards is the number of shards for a number of live keys: three slots a key, as in a Table; keys below 1 count as 1.
func Shards(keys int) int { return (max(keys, 1)*spare + ways - 1) / ways }

// ShardOf is the shard in which a key lies, from 0 to shards − 1.
func ShardOf(id uint64, shards int) int {
	i, _ := bits.Mul64(id, uint64(shards))
	return int(i)
}

// Ahead is how far the shard's clock, the latest instant at which it was changed, lies ahead of an instant; 0 if it does
// not. A clock far ahead was told by somebody else's clock: such a shard is better begun anew.
func (s *Shard) Ahead(now int64) lapse.Duration {
	if at := bias(now); s.clock > at {
		return lapse.Duration(min(s.clock-at, uint64(latest)))
	}
	return 0
}

// Take asks for n tokens of one key at an instant; 0 or less looks without taking. A Shard that Take has changed differs
// from what it was: where a copy is equal, nothing need be written.
func (s *Shard) Take(rule *Rule, id uint64, now, n int64) Decision {
	clock := max(s.clock, bias(now))
	before := s.set
	d, _ := s.set.take(rule, id, clock, n)
	if s.set != before {
		s.clock = clock
	}
	return d
}

// Return gives one token back that Take has taken and nobody used. It does nothing for a key that the shard has
// forgotten, and never makes a bucket more than full.
func (s *Shard) Return(rule *Rule, id uint64) {
	for i := range s.set {
		l := &s.set[i]
		if at := l.find(id); at < len(l) && l[at].tat > s.clock {
			l[at].tat -= min(uint64(rule.interval), l[at].tat-s.clock)
		}
	}
}

// Append writes the shard in ShardSize bytes.
func (s *Shard) Append(b []byte) []byte {
	b = append(b, shardMark...)
	b = append8(b, s.clock)
	for i := range s.set {
		for _, x := range &s.set[i] {
			b = append8(append8(b, x.id), x.tat)
		}
	}
	return b
}

// append8 appends eight bytes, the lowest first; word reads them.
func append8(b []byte, v uint64) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
}

// Load reads what Append has written; false, and the shard is as it was, for anything else: another length, another
// version.
func (s *Shard) Load(b []byte) bool {
	if len(b) != ShardSize || string(b[:8]) != shardMark {
		return false
	}
	s.clock = word(b[8:])
	b = b[16:]
	for i := range s.set {
		for j := range s.set[i] {
			s.set[i][j] = slot{word(b), word(b[8:])}
			b = b[16:]
		}
	}
	return true
}
