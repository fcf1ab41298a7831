package bucket

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/bucket anew; read the difference before committing it")

// The corpus of testdata/bucket: what every language that has this bucket must answer. Numbers of 64 bits are decimal
// strings, because JavaScript's numbers have 53.
type (
	limitCase struct {
		Rate     string `json:"rate"`
		Burst    string `json:"burst"`
		Interval string `json:"interval_ns,omitempty"` // absent: refused
		Span     string `json:"span_ns,omitempty"`
	}
	step struct {
		ID         string `json:"id,omitempty"`
		Now        string `json:"now_ns"`
		N          string `json:"n,omitempty"` // absent: 1
		Allowed    bool   `json:"allowed"`
		Remaining  string `json:"remaining"`
		RetryAfter string `json:"retry_after_ns"` // "never" where no patience helps
		ResetAfter string `json:"reset_after_ns"`
		Gate       string `json:"gate,omitempty"`
	}
	atMostCase struct {
		PerSecond string `json:"per_second"`
		Burst     string `json:"burst"`
		Rate      string `json:"limit_rate,omitempty"` // absent: refused
		Limit     string `json:"limit_burst,omitempty"`
	}
	bucketCase struct {
		Name  string `json:"name"`
		Rate  string `json:"rate"`
		Burst string `json:"burst"`
		Keys  int    `json:"keys,omitempty"` // of a table
		Fleet *struct {
			Rate  string `json:"rate"`
			Burst string `json:"burst"`
		} `json:"fleet,omitempty"`
		Steps []step `json:"steps"`
	}
	hashCase struct {
		Seed string `json:"seed"`
		Key  string `json:"key"`
		Hash string `json:"hash"`
	}
	waitCase struct {
		ID   string `json:"id"`
		Now  string `json:"now_ns"`
		U    string `json:"u"`
		Wait string `json:"wait_ns"`
	}
	queueCase struct {
		Rate  string     `json:"rate"`
		Keys  int        `json:"keys"`
		Steps []waitCase `json:"steps"`
	}
)

func dec[T int64 | uint64 | time.Duration](v T) string { return fmt.Sprintf("%d", v) }

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func stepOf(now, n int64, d Decision) step {
	s := step{Now: dec(now), Allowed: d.Allowed, Remaining: dec(d.Remaining), RetryAfter: dec(d.RetryAfter), ResetAfter: dec(d.ResetAfter)}
	if d.RetryAfter == Never {
		s.RetryAfter = "never"
	}
	if n != 1 {
		s.N = dec(n)
	}
	return s
}

// corpus is made from one seed by the Go implementation, which the tests beside this one hold against exact rationals.
func corpus(t *testing.T) map[string]any {
	rng := rand.New(rand.NewPCG(2026, 11))
	var limits []limitCase
	for _, l := range append(extremes, Limit{}, Limit{Rate: -1, Burst: 1}, Limit{Rate: 1, Burst: -1}, Limit{Rate: 1e-10, Burst: 1}, Limit{Rate: 3}, Limit{Rate: 1e9 / 7, Burst: 7},
		Limit{Rate: 0.1, Burst: 1 << 30}, Limit{Rate: 1e15, Burst: 1 << 61}, Limit{Rate: 1e9, Burst: 1 << 62}, Limit{Rate: 5e-324, Burst: 1}) {
		c := limitCase{Rate: number(l.Rate), Burst: dec(l.Burst)}
		if r, err := l.Compile(); err == nil {
			c.Interval, c.Span = dec(r.interval), dec(r.span)
		}
		limits = append(limits, c)
	}
	var most []atMostCase
	for _, l := range []Limit{{Rate: 225}, {225, 1}, {225, 225}, {225, 226}, {225, -1}, {Rate: 0.5}, {0.5, 2}, {Rate: 10.5}, {10.5, 11}, {Rate: 0}, {Rate: -3}, {Rate: 1e15}, {Rate: 1e16}, {9, 0}, {1, 1}} {
		c := atMostCase{PerSecond: number(l.Rate), Burst: dec(l.Burst)}
		if m, err := AtMost(l.Rate, l.Burst); err == nil {
			c.Rate, c.Limit = number(m.Rate), dec(m.Burst)
		}
		most = append(most, c)
	}
	var buckets []bucketCase
	for i, l := range extremes {
		r, err := l.Compile()
		if err != nil {
			continue
		}
		c := bucketCase{Name: fmt.Sprintf("%g a second, %d at once", l.Rate, l.Burst), Rate: number(l.Rate), Burst: dec(l.Burst)}
		b, now := Bucket{Rule: r}, int64(i-3)*int64(time.Hour)
		for range 24 {
			now += rng.Int64N(max(r.interval, 2)) + rng.Int64N(max(r.span/4, 2)) - max(r.span/16, 1)
			n := int64(1)
			if k := rng.IntN(6); k < 3 {
				n = []int64{0, l.Burst, l.Burst + 1}[k]
			}
			c.Steps = append(c.Steps, stepOf(now, n, b.Take(now, n)))
		}
		buckets = append(buckets, c)
	}
	table := bucketCase{Name: "sixty keys in a table for eight", Rate: "2", Burst: "5", Keys: 8}
	tb, _ := NewTable(rule(t, 2, 5), 8)
	door := bucketCase{Name: "clients of 2 a second before a fleet of 5 a second", Rate: "2", Burst: "5", Keys: 100}
	door.Fleet = &struct {
		Rate  string `json:"rate"`
		Burst string `json:"burst"`
	}{"5", "8"}
	dt, _ := NewTable(rule(t, 2, 5), 100)
	d := Door{Clients: dt, Fleet: &Bucket{Rule: rule(t, 5, 8)}}
	now := int64(1e18)
	for range 300 {
		now += rng.Int64N(20*ms) - 2*ms
		id := rng.Uint64N(60) * 0x9e3779b97f4a7c15
		s := stepOf(now, 1, tb.Take(id, now, 1))
		s.ID = dec(id)
		table.Steps = append(table.Steps, s)
		id = (id >> 60) * 0x9e3779b97f4a7c15
		v, gate := d.Take(id, now)
		s = stepOf(now, 1, v)
		s.ID, s.Gate = dec(id), gate.String()
		door.Steps = append(door.Steps, s)
	}
	var hashes []hashCase
	for _, key := range []string{"", "a", "1234567", "12345678", "123456789", "203.0.113.9", "2001:db8:1:2::", "0123456789abcdef", "0123456789abcdef0", "32 bytes 32 bytes 32 bytes 32 by", "größer als 16 Bytes, UTF-8"} {
		for _, seed := range []uint64{0, 7, 1<<64 - 1} {
			hashes = append(hashes, hashCase{dec(seed), key, dec(Hash(seed, key))})
		}
	}
	queue := queueCase{Rate: "3", Keys: 20}
	q, _ := NewQueue(rule(t, 3, 1), 0, time.Minute, 20)
	now = 0
	for range 200 {
		now += rng.Int64N(100 * ms)
		id, u := rng.Uint64N(150)*0x9e3779b97f4a7c15, rng.Uint64()
		queue.Steps = append(queue.Steps, waitCase{dec(id), dec(now), dec(u), dec(q.Wait(id, now, u))})
	}
	return map[string]any{"limits": limits, "atmost": most, "bucket": buckets, "table": []bucketCase{table}, "door": []bucketCase{door}, "hash": hashes, "queue": []queueCase{queue}}
}

func TestCorpus(t *testing.T) {
	for name, cases := range corpus(t) {
		path := filepath.Join("..", "..", "testdata", "bucket", name+".json")
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetIndent("", " ")
		if err := e.Encode(cases); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs from what the code answers; go test ./core/bucket -update writes it anew", path)
		}
	}
}
