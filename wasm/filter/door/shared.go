package door

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

// Status is how an operation on shared data ended.
type Status uint8

// The statuses.
const (
	OK       Status = iota
	Absent          // Get: there is no such key
	Mismatch        // Set: somebody else has set the key since it was got
	Failed          // whatever else
)

// Shared is the data that the workers of one proxy share.
type Shared interface {
	// Get gives a value, valid until the next call, and what Set must show to replace it. Nothing keeps key.
	Get(key []byte) (value []byte, cas uint32, s Status)
	// Set replaces a value that has not changed since Get; cas 0 replaces any. Nothing keeps key and value.
	Set(key, value []byte, cas uint32) Status
}

const (
	// Tries is how often a compare-and-set is tried before the state counts as not to be had. With eight workers that
	// do nothing else the unluckiest needed 190.
	Tries = 256
	// Fresh is what Set shows for a key that is believed absent: a value that no stored key has, so that a key that has
	// come into being meanwhile is not overwritten.
	Fresh = 0x7fff_ffff
	// Prefix begins the names of all shared keys; the number is the version of what lies under them.
	Prefix = "stormlint/1/"

	stray = time.Hour // a shard's clock this far ahead is not ours
)

// Update changes the value of a key by compare-and-set: change gets the present value, nil if there is none, and gives
// the new one, or nil to leave it as it is. Retries counts the times that somebody else came between. Done is false when
// the host failed or the tries were used up; nothing is changed then.
func Update(s Shared, key []byte, tries int, change func(value []byte) []byte) (done bool, retries int) {
	first := uint32(Fresh)
	for range tries {
		value, cas, status := s.Get(key)
		switch status {
		case OK:
		case Absent:
			value, cas = nil, first
		default:
			return false, retries
		}
		next := change(value)
		if next == nil {
			return true, retries
		}
		switch s.Set(key, next, cas) {
		case OK:
			return true, retries
		case Mismatch:
			retries++
			if status == Absent { // a host where an absent key wants 0: ngx_wasm_module
				first ^= Fresh
			}
		default:
			return false, retries
		}
	}
	return false, retries
}

// shards are the buckets of one kind in shared data. All that a decision needs is in here: it allocates nothing.
type shards struct {
	shared      Shared
	rule        *bucket.Rule
	n           int
	key         []byte // of the shard at hand
	prefix      int    // length of what all keys begin with
	now, before bucket.Shard
	buffer      []byte
}

func newShards(shared Shared, rule *bucket.Rule, kind, share string, keys int) *shards {
	n := bucket.Shards(keys)
	key := []byte(Prefix + kind + "/" + share + "/" + strconv.FormatInt(int64(n), 36) + "/")
	return &shards{shared: shared, rule: rule, n: n, key: key, prefix: len(key)}
}

// effects are what decisions meet on their way.
type effects struct {
	retries, foreign int
	open             Reason
}

// take asks for n tokens of a key; on failure the answer is yes and e.open says why.
func (s *shards) take(id uint64, now, n int64, e *effects) bucket.Decision {
	d := bucket.Decision{Allowed: true}
	s.change(id, now, e, func(shard *bucket.Shard) { d = shard.Take(s.rule, id, now, n) })
	if e.open != Known {
		d = bucket.Decision{Allowed: true}
	}
	return d
}

// giveBack returns a token; where that fails the client has lost it.
func (s *shards) giveBack(id uint64, now int64, e *effects) {
	open := e.open
	s.change(id, now, e, func(shard *bucket.Shard) { shard.Return(s.rule, id) })
	e.open = open
}

func (s *shards) change(id uint64, now int64, e *effects, f func(*bucket.Shard)) {
	s.key = strconv.AppendInt(s.key[:s.prefix], int64(bucket.ShardOf(id, s.n)), 36)
	foreign := false
	done, retries := Update(s.shared, s.key, Tries, func(value []byte) []byte {
		foreign = value != nil && (!s.now.Load(value) || s.now.Ahead(now) > stray)
		if value == nil || foreign {
			s.now = bucket.Shard{}
		}
		s.before = s.now
		if f(&s.now); s.now == s.before {
			return nil
		}
		s.buffer = s.now.Append(s.buffer[:0])
		return s.buffer
	})
	e.retries += retries
	if foreign {
		e.foreign++
	}
	if !done {
		e.open = Store
		if retries >= Tries {
			e.open = Contention
		}
	}
}
