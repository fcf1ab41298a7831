package timeline

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// What short writes is what encode gives, for spans and distances of every size, and neither writes beyond its own chunks.
func TestShortAgainstEncode(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	quick, slow := New(Part{}, 1), New(Part{}, 1)
	slow.own = quick.own
	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	taken := 0
	for range 20_000 {
		e := at(connlog.Attempt, connlog.OK, r.Int64N(1<<r.IntN(50)))
		e.Time, e.Record = e.Time*[...]int64{1, civil.Microsecond, civil.Millisecond, civil.Second}[r.IntN(4)]>>20, r.Int64N(1<<r.IntN(40))
		e.Status = uint16(r.IntN(1 << r.IntN(10)))
		if r.IntN(3) == 0 {
			e.Duration = r.Int64N(1 << r.IntN(60))
		}
		if r.IntN(3) == 0 {
			e.Interval = r.Int64N(1<<r.IntN(40)) * civil.Millisecond >> 10
		}
		key := keys[r.IntN(len(keys))]
		quick.Add(&connlog.Batch{}, &e, key)
		i := slow.client(key)
		m := quick.moment
		c := &slow.clients[i]
		s := &quick.signatures[m.Signature]
		slow.slab.append(&c.chain, c.last.encode(&slow.coding, &m, s))
		a := quick.clients[i].chain
		if s.has <= hasInterval {
			taken++
		}
		if x, y := quick.slab.bytes(a.head, a.length(), nil), slow.slab.bytes(c.head, c.length(), nil); !bytes.Equal(x, y) {
			t.Fatalf("of %+v short writes % x, encode % x", m, x[max(0, len(x)-20):], y[max(0, len(y)-20):])
		}
		if a.length() > 8000 { // begin anew, with few bytes to compare
			quick.slab.release(&quick.clients[i].chain)
			slow.slab.release(&c.chain)
		}
	}
	if taken < 5000 {
		t.Errorf("only %d events could be short", taken)
	}
}

func TestSpread(t *testing.T) {
	for shift := range 28 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, 1<<shift | 1} {
			b, n := spread(v)
			var got [8]byte
			put64(got[:], b)
			if want := appendUint(nil, v); !bytes.Equal(got[:n], want) || b>>(8*n) != 0 {
				t.Errorf("%d is % x in %d bytes, want % x", v, got, n, want)
			}
		}
	}
}
