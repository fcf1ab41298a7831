package lint_test

import (
	"flag"
	"testing"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/core/stat"
)

var accuracy = flag.Bool("accuracy", false, "run the whole accuracy tables (./build.sh bench accuracy)")

// row is one law that is not full jitter, drawn by its quantile function or as a function of a full draw and another.
type row struct {
	name, spec string
	of         func(full, other float64) float64 // of the wait of full:1s:30s and a uniform number; nil is the SPEC's own
}

var rows = []row{
	{name: "±20 % (gRPC)", spec: "prop:1s:30s:2:0.2"},
	{name: "equal", spec: "equal:1s:30s"},
	{name: "±50 %", spec: "prop:1s:30s:2:0.5"},
	{name: "exp + U(0, 1 s)", spec: "additive:1s:30s:2:1s"},
	{name: "±50 %, clamped at 5 s", spec: "prop:1s:5s:2:0.5,cap=after"},
	{name: "a floor of a tenth", spec: "prop:550ms:16500ms:2:0.8181818181818182"},
	{name: "the lesser of two draws", spec: "full:1s:30s", of: func(full, other float64) float64 { return min(full, other) }},
}

// refused is how many of so many tests of k runs of n waits refuse full jitter.
func (r row) refused(t *testing.T, seed uint64, tests, k, n int) int {
	t.Helper()
	p, err := backoff.Parse(r.spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range tests {
		runs := make([][]float64, k)
		for c := range runs {
			for a := 1; a <= n; a++ {
				state := backoff.State{Attempt: a, Outcome: backoff.Refused}
				client := uint64(i*k + c)
				d, _ := s.Delay(state, stat.Draw(seed, client, uint64(a)))
				v := float64(d)
				if r.of != nil {
					other, _ := s.Delay(state, stat.Draw(seed+1, client, uint64(a)))
					v = r.of(v, float64(other))
				}
				runs[c] = append(runs[c], v)
			}
		}
		if c := lint.Conforms(runs); c.P < lint.Alpha {
			refused++
		}
	}
	return refused
}

// Power at 0.1 %: fifty runs of eight waits tell every other law from full jitter at least 99 times in a hundred.
func TestPowerOfConformity(t *testing.T) {
	const seed = 41
	tests := 100
	if *accuracy {
		tests = 5000
	}
	for _, r := range rows {
		n := r.refused(t, seed, tests, 50, 8)
		t.Logf("%-26s refused %5.2f %%", r.name, 100*float64(n)/float64(tests))
		if 100*n < 99*tests {
			t.Errorf("%s: full jitter is refused in %d of %d tests, seed %d", r.name, n, tests, seed)
		}
	}
}

// Size at 0.1 %: full jitter, of any base, factor and cap, is refused at most twice in a thousand tests.
func TestFalseAlarmsOfConformity(t *testing.T) {
	const seed = 43
	tests := 500
	if *accuracy {
		tests = 20_000
	}
	for i, spec := range []string{"full:1s:30s", "full:100ms:none:1.5", "full:5s:5s:1"} {
		for _, k := range []int{2, 3, 5, 10, 20, 50} {
			for _, n := range []int{5, 8} {
				m := row{spec: spec}.refused(t, seed+uint64(i), tests, k, n)
				if *accuracy {
					t.Logf("%-20s K = %2d, n = %d: refused %.3f %%", spec, k, n, 100*float64(m)/float64(tests))
				}
				if 500*m > tests && m > 4 {
					t.Errorf("%s, K = %d, n = %d: refused in %d of %d tests, seed %d", spec, k, n, m, tests, seed+i)
				}
			}
		}
	}
}
