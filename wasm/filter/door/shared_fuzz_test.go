package door

import (
	"testing"

	"github.com/stormlint/stormlint/core/bucket"
)

// FuzzShared puts anything where the filter's shared data lies, as another version would, or another filter: each handshake
// gets an answer, nobody is refused without a reason, and what lies there afterwards is the filter's own again.
func FuzzShared(f *testing.F) {
	rule := bucket.Rule{}
	if l, err := (bucket.Limit{Rate: 2, Burst: 5}).Compile(); err == nil {
		rule = l
	}
	var s bucket.Shard
	s.Take(&rule, 7, 1e15, 5)
	f.Add(s.Append(nil), []byte("12345678"), []byte("12345678"), int64(1e15))
	f.Add([]byte("another version's"), []byte{}, []byte("\xff\xff\xff\xff\xff\xff\xff\x7f"), int64(1e15))
	f.Add(append([]byte("stlmbk\x00\x02"), s.Append(nil)[8:]...), []byte("x"), []byte("\xff\xff\xff\xff\xff\xff\xff\xff"), int64(-1))
	set := settings(f, `{"mode":"enforce","key":"ip","clients":1,"fleet_rate":10,"fleet_burst":2}`)
	f.Fuzz(func(t *testing.T, shard, seed, end []byte, now int64) {
		m := newMemory(envoy)
		m.Set([]byte(Prefix+"seed"), seed, 0)
		d := doors(t, set, m, 1)[0]
		m.Set(d.head, end, 0)
		for _, s := range []*shards{d.clients, d.fleet} {
			for i := range s.n {
				s.key = append(s.key[:s.prefix], "0123456789abcdefghijklmnopqrstuvwxyz"[i%36])
				m.Set(s.key, shard, 0)
			}
		}
		for range 12 {
			v := ask(d, "192.0.2.1:1", now)
			if v.Open != Known || v.Allowed == (v.Outcome == Refused) || v.Hint < 0 || v.Hint > set.Longest {
				t.Fatalf("%+v", v)
			}
			if v.Outcome == Refused {
				d.Answer(&v)
			}
		}
		if v := ask(d, "192.0.2.1:1", now); v.Allowed || v.Foreign > 0 {
			t.Errorf("after twelve handshakes at once: %+v", v)
		}
	})
}
