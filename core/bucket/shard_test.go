package bucket

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestShardsAreATable: shards that are read and written at each decision answer as a Table does.
func TestShardsAreATable(t *testing.T) {
	const seed, keys = 5, 40
	rng := rand.New(rand.NewPCG(seed, 1))
	r := rule(t, 2, 5)
	table, _ := NewTable(r, keys)
	n := Shards(keys)
	if n != len(table.sets) {
		t.Fatalf("%d shards, a table of as many keys has %d sets", n, len(table.sets))
	}
	written := make([][]byte, n)
	for i := range written {
		written[i] = new(Shard).Append(nil)
	}
	now := int64(1e15)
	for i := range 50_000 {
		now += rng.Int64N(30 * ms)
		id := Hash(9, []byte{byte(rng.IntN(120))})
		take := int64(rng.IntN(4))
		at := ShardOf(id, n)
		var s Shard
		if !s.Load(written[at]) {
			t.Fatal("own bytes are not read")
		}
		got, want := s.Take(&r, id, now, take), table.Take(id, now, take)
		if got != want {
			t.Fatalf("seed %d, step %d: shard says %+v, table %+v", seed, i, got, want)
		}
		written[at] = s.Append(nil)
	}
}

func TestShardReturns(t *testing.T) {
	r := rule(t, 1, 3)
	var s Shard
	for range 3 {
		s.Take(&r, 7, 0, 1)
	}
	s.Return(&r, 7)
	if d := s.Take(&r, 7, 0, 1); !d.Allowed || d.Remaining != 0 {
		t.Errorf("after a return: %+v", d)
	}
	for range 9 {
		s.Return(&r, 7)
	}
	s.Return(&r, 8) // unknown
	if d := s.Take(&r, 7, 0, 0); d.Remaining != 3 {
		t.Errorf("never more than full: %+v", d)
	}
}

func TestShardBytes(t *testing.T) {
	r := rule(t, 1, 3)
	var s Shard
	s.Take(&r, 7, 1000, 2)
	b := s.Append(nil)
	if len(b) != ShardSize {
		t.Fatalf("%d bytes", len(b))
	}
	for name, bad := range map[string][]byte{"empty": nil, "short": b[:ShardSize-1], "long": append(b[:ShardSize:ShardSize], 0),
		"another version": append([]byte("stlmbk\x00\x02"), b[8:]...)} {
		c := s
		if c.Load(bad) || c != s {
			t.Errorf("%s: read, or changed", name)
		}
	}
	before := s
	if d := s.Take(&r, 7, 1000, 2); d.Allowed || s != before {
		t.Errorf("a refusal changes nothing: %+v", d)
	}
	if s.Ahead(1000) != 0 || s.Ahead(0) != 1000*time.Nanosecond || s.Ahead(5000) != 0 {
		t.Errorf("ahead: %v %v", s.Ahead(0), s.Ahead(5000))
	}
}
