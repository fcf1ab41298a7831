package herd

import (
	"container/heap"
	"flag"
	"math"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
)

var long = flag.Bool("long", false, "run the whole of the tables, which takes minutes, and print them beside the published ones")

// contention is the model of the simulator behind "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015;
// aws-samples/aws-arch-backoff-simulator): N clients each want one optimistic write to one row. A cycle is a read and a
// write, four messages of |Normal(10, 2)| ms; the write succeeds if the version read is still current, else the client
// backs off and starts again. There is no capacity and no queue. It is no part of the product; it holds the policies, and
// their draws, against somebody else's figures.
func contention(p *backoff.Policy, clients int, seed uint64) (end float64, writes int) {
	type client struct {
		attempt  int
		previous time.Duration
		version  int
	}
	const (
		read = iota
		write
		answer
	)
	all := make([]client, clients)
	q := &messages{}
	draws := uint64(0)
	leg := func() float64 { // Box and Muller 1958; the reference draws from its library's normal law
		draws++
		u := stat.Unit(stat.Draw(seed, 1<<32, 2*draws))
		v := stat.Unit(stat.Draw(seed, 1<<32, 2*draws+1))
		return math.Abs(10 + 2*math.Sqrt(-2*math.Log(1-u))*math.Cos(2*math.Pi*v))
	}
	for i := range all {
		heap.Push(q, message{at: leg(), client: i, kind: read})
	}
	version := 0
	for q.Len() > 0 {
		m := heap.Pop(q).(message)
		end = m.at
		c := &all[m.client]
		switch m.kind {
		case read:
			c.version = version
			heap.Push(q, message{at: m.at + leg() + leg(), client: m.client, kind: write})
		case write:
			writes++
			won := version == c.version
			if won {
				version++
			}
			heap.Push(q, message{at: m.at + leg(), client: m.client, kind: answer, won: won})
		case answer:
			if m.won {
				continue
			}
			c.attempt++
			d, _ := p.Delay(backoff.State{Attempt: c.attempt, Previous: c.previous, Outcome: backoff.Refused}, stat.Draw(seed, uint64(m.client), uint64(c.attempt)))
			c.previous = d
			heap.Push(q, message{at: m.at + d.Seconds()*1000 + leg(), client: m.client, kind: read})
		}
	}
	return end, writes
}

type message struct {
	at     float64 // ms
	client int
	kind   int
	won    bool
}

type messages []message

func (q messages) Len() int           { return len(q) }
func (q messages) Less(i, j int) bool { return q[i].at < q[j].at }
func (q messages) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *messages) Push(x any)        { *q = append(*q, x.(message)) }
func (q *messages) Pop() any {
	old := *q
	m := old[len(old)-1]
	*q = old[:len(old)-1]
	return m
}

// Means of 100 runs of the reference itself, cut to whole numbers: time in ms and writes. Its base is 5 ms and its cap 2 s;
// its first backoff has exponent 1, so the first ceiling is 10 ms.
func TestContention(t *testing.T) {
	const theirs, runs = 100, 400
	for _, row := range []struct {
		clients       int
		exp           [2]float64
		decorrelated  [2]float64
		equal         [2]float64
		full          [2]float64
		withoutAnyone [2]float64
	}{
		{10, [2]float64{3432, 50}, [2]float64{416, 37}, [2]float64{740, 42}, [2]float64{470, 39}, [2]float64{381, 50}},
		{20, [2]float64{14590, 150}, [2]float64{796, 100}, [2]float64{1654, 107}, [2]float64{998, 100}, [2]float64{597, 151}},
		{50, [2]float64{36727, 624}, [2]float64{2188, 374}, [2]float64{4165, 347}, [2]float64{2946, 332}, [2]float64{1137, 688}},
		{100, [2]float64{63677, 1858}, [2]float64{4568, 1000}, [2]float64{6541, 812}, [2]float64{4918, 796}, [2]float64{2022, 2418}},
		{150, [2]float64{85259, 3542}, [2]float64{6617, 1750}, [2]float64{8276, 1324}, [2]float64{6345, 1318}, [2]float64{2881, 5150}},
		{190, [2]float64{100621, 5146}, [2]float64{7857, 2430}, [2]float64{9414, 1761}, [2]float64{7374, 1770}, [2]float64{3538, 8000}},
	} {
		if row.clients > 20 && !*long {
			break // ./build.sh bench runs them all
		}
		for _, cell := range []struct {
			spec string
			want [2]float64
		}{
			{"exp:10ms:2s", row.exp}, {"decorrelated:5ms:2s", row.decorrelated}, {"equal:10ms:2s", row.equal}, {"full:10ms:2s", row.full}, {"immediate:0", row.withoutAnyone},
		} {
			p := policy(t, cell.spec)
			var sum, square [2]float64
			for run := range uint64(runs) {
				end, writes := contention(&p, row.clients, run+1)
				for i, v := range [2]float64{end, float64(writes)} {
					sum[i] += v
					square[i] += v * v
				}
			}
			for i, what := range [...]string{"time", "writes"} {
				mean := sum[i] / runs
				variance := square[i]/runs - mean*mean
				apart := math.Sqrt(variance/theirs + variance/runs)
				off := mean - (cell.want[i] + 0.5) // the published mean is cut, on average by a half
				if *long {
					t.Logf("%3d clients  %-20s %-6s  published %6.0f  here %8.1f  %+.1f standard errors", row.clients, cell.spec, what, cell.want[i], mean, off/apart)
				}
				if math.Abs(off) > 4*apart+0.5 {
					t.Errorf("%d clients, %s, %s: %.1f, published %.0f, %.1f standard errors of the difference apart (seeds 1 to %d)", row.clients, cell.spec, what, mean, cell.want[i], off/apart, runs)
				}
			}
		}
	}
}
