package lint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/lint"
)

// fires checks "rule severity" of a result, or with a minus that the rule does not fire.
func fires(t *testing.T, name string, r *lint.Result, wants []string, tested map[string]bool) {
	t.Helper()
	got := map[string]string{}
	for _, f := range r.Findings {
		got[f.Rule] = f.Severity.String()
		if rule, ok := finding.Lookup(f.Rule); !ok || !strings.HasPrefix(f.Message, rule.Title) || f.Advice == "" || f.Subject == "" {
			t.Errorf("%s: incomplete: %+v", name, f)
		}
	}
	for _, w := range wants {
		rule, severity, _ := strings.Cut(w, " ")
		if quiet, ok := strings.CutPrefix(rule, "-"); ok {
			if s := got[quiet]; s != "" {
				t.Errorf("%s: %s fires at %s", name, quiet, s)
			}
			continue
		}
		tested[rule] = true
		if got[rule] != severity {
			t.Errorf("%s: %s is %q, want %q; all: %v", name, rule, got[rule], severity, got)
		}
	}
}

var tested = map[string]bool{}

// Each rule on a policy, on both sides of its thresholds.
func TestPolicyRules(t *testing.T) {
	known := lint.Options{Clients: 10_000, Capacity: 1000} // N/C = 10 s
	for _, c := range []struct {
		spec string
		o    lint.Options
		want []string
	}{
		{"fixed:5s", lint.Options{}, []string{"fixed-locked high", "no-growth medium", "-narrow-first-delay", "-weak-jitter", "-point-mass", "-growth-locked"}},
		{"exp:1s:30s:1.09", lint.Options{}, []string{"fixed-locked high"}},
		{"exp:1s:30s:1.11", lint.Options{}, []string{"growth-locked high"}},
		{"prop:1s:30s:2:0.02", lint.Options{}, []string{"-growth-locked", "weak-jitter medium"}}, // 4 % of the first wait, but 8 % of the second
		{"fixed:10s,jitter=10ms", lint.Options{}, []string{"fixed-locked high"}},
		{"table:10ms,50ms", lint.Options{}, []string{"growth-locked high", "immediate-retry critical"}},
		{"exp:20ms:30s:3", lint.Options{}, []string{"immediate-retry high"}}, // 20, 60, 180 ms
		{"exp:20ms:30s:2", lint.Options{}, []string{"immediate-retry critical"}},
		{"exp:21ms:30s", lint.Options{}, []string{"-immediate-retry"}},
		{"full:20ms:30s", lint.Options{}, []string{"immediate-retry critical", "narrow-first-delay medium"}},
		{"full:1s:30s,first=0", lint.Options{}, []string{"immediate-retry high", "zero-delay high", "-narrow-first-delay"}},
		{"full:1s:30s", lint.Options{}, []string{"zero-delay info", "narrow-first-delay info", "unbounded-attempts info", "-weak-jitter", "-cap-missing", "-no-growth"}},
		{"full:1s:30s,floor=100ms", lint.Options{}, []string{"-zero-delay"}},
		{"full:249ms:30s", lint.Options{}, []string{"narrow-first-delay medium"}},
		{"full:250ms:30s", lint.Options{}, []string{"narrow-first-delay info"}},
		{"full:5s:60s", lint.Options{}, []string{"-narrow-first-delay"}},
		{"full:1s:30s", known, []string{"narrow-first-delay medium", "-cap-too-small"}},
		{"full:900ms:30s", known, []string{"narrow-first-delay high"}},
		{"full:10s:60s", known, []string{"-narrow-first-delay"}},
		{"full:1s:9s", known, []string{"cap-too-small high"}}, // a mean of 4.5 s where 5 are needed
		{"equal:1s:30s", lint.Options{}, []string{"-weak-jitter"}},
		{"prop:1s:30s:2:0.2905", lint.Options{}, []string{"-weak-jitter"}}, // a spread of 0.4502
		{"prop:1s:30s:2:0.28", lint.Options{}, []string{"weak-jitter medium"}},
		{"fixed:10s,jitter=0.2", lint.Options{}, []string{"weak-jitter info", "no-growth info"}}, // the first wave is 4 s wide
		{"fixed:10s,jitter=0.2", known, []string{"weak-jitter medium", "no-growth medium"}},      // of 10 s
		{"fixed:10s,jitter=0.04", known, []string{"weak-jitter high"}},                           // below a tenth of it
		{"window:25s", lint.Options{}, []string{"-weak-jitter", "-point-mass", "-no-growth", "-drawn-once", "-zero-delay", "-cap-missing"}},
		{"window:12500ms", known, []string{"-weak-jitter", "-narrow-first-delay", "-cap-too-small"}},
		{"window:2s", known, []string{"narrow-first-delay medium", "cap-too-small high", "no-growth medium"}},
		{"additive:1s:60s:2:1s", lint.Options{}, []string{"additive-constant medium"}},
		{"additive:1s:5s:2:1s", lint.Options{}, []string{"-additive-constant"}}, // still a sixth of the wait
		{"prop:1s:5s:2:0.5,cap=after", lint.Options{}, []string{"clamp-after-jitter high"}},
		{"prop:4s:15s:2:0.5,cap=after", lint.Options{}, []string{"clamp-after-jitter medium"}}, // the first wave is 4 s wide
		{"decorrelated:1s:30s", lint.Options{}, []string{"clamp-after-jitter low"}},
		{"full:1s:30s,cap=both", lint.Options{}, []string{"-clamp-after-jitter"}},
		{"full:1s:30s,floor=500ms:after", lint.Options{}, []string{"point-mass medium"}},
		{"full:10s:60s,floor=3s:after", lint.Options{}, []string{"point-mass info"}},
		{"full:1s:8s,step=1s", lint.Options{}, []string{"quantised medium"}},
		{"full:1s:30s,step=100ms", lint.Options{}, []string{"-quantised"}},
		{"prop:3s:10s:1.3:0.5,drawn=once", lint.Options{}, []string{"drawn-once low"}},
		{"exp:3s:90s,first=U5s", lint.Options{}, []string{"drawn-once low", "-clamp-after-jitter"}},
		{"fixed:5s,first=U5s", lint.Options{}, []string{"-drawn-once"}}, // a window by another name
		{"full:1s:9s", lint.Options{}, []string{"cap-too-small low"}},
		{"full:1s:10s", lint.Options{}, []string{"-cap-too-small"}},
		{"full:1s:none", lint.Options{Runtime: "go"}, []string{"cap-missing low", "overflow info"}},
		{"full:1s:601s:4", lint.Options{}, []string{"cap-missing low"}},
		{"full:1s:600s:4", lint.Options{}, []string{"-cap-missing"}},
		{"full:1s:200s", lint.Options{}, []string{"cap-missing low"}}, // 128 to 200 s at the eighth
		{"full:1s:60s", lint.Options{}, []string{"-cap-missing"}},
		{"full:1s:none", lint.Options{}, []string{"overflow high"}},                // after 24 days
		{"exp:1s:none:10", lint.Options{}, []string{"overflow high"}},              // 11 days
		{"exp:1s:none,first=1200h", lint.Options{}, []string{"overflow critical"}}, // the first wait of 50 days fires at once
		{"exp:1s:30s,breaks=100", lint.Options{}, []string{"overflow critical", "zero-delay high"}},
		{"exp:1h:24h,breaks=30", lint.Options{}, []string{"overflow high"}},
		{"exp:1h:24h,breaks=100", lint.Options{}, []string{"overflow medium"}},
		{"exp:1h:24h,breaks=1000", lint.Options{}, []string{"overflow info"}},
		{"exp:1s:30s,attempts=50,breaks=100", lint.Options{}, []string{"-overflow", "-zero-delay", "gives-up info", "-unbounded-attempts"}},
		{"full:1s:30s,reset=open", lint.Options{}, []string{"early-reset high"}},
		{"full:1s:30s,reset=message", lint.Options{}, []string{"-early-reset"}},
		{"full:1s:30s,reset=5s", lint.Options{}, []string{"-early-reset"}},
		{"full:1s:30s", lint.Options{Budget: 1000}, []string{"budget-exceeded high"}}, // 5,766
		{"full:1s:30s", lint.Options{Budget: 6000}, []string{"-budget-exceeded"}},
		{"immediate:0s", lint.Options{Budget: 10}, []string{"budget-exceeded high", "fixed-locked high"}},
		{"full:1s:30s,attempts=10", lint.Options{Budget: 10}, []string{"-budget-exceeded"}},
	} {
		r, err := lint.Spec(c.spec, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		fires(t, c.spec, r, c.want, tested)
	}
}

// repeated is count runs of the same waits.
func repeated(count int, waits string) string {
	return "[" + strings.TrimSuffix(strings.Repeat("["+waits+"],", count), ",") + "]"
}

// spaced is n runs from a formula of run and attempt.
func spaced(n, attempts int, f func(run, attempt int) float64) string {
	runs := make([][]float64, n)
	for i := range runs {
		for k := range attempts {
			runs[i] = append(runs[i], f(i, k))
		}
	}
	b, _ := json.Marshal(runs)
	return string(b)
}

// Each rule that runs show, under its scenario.
func TestRunRules(t *testing.T) {
	long := func(zero bool) string {
		waits := strings.Repeat("5000,", 400)
		for i := range 200 {
			if zero && i%2 == 0 {
				waits += "0,"
			} else {
				waits += "5000,"
			}
		}
		return "[[" + strings.TrimSuffix(waits, ",") + "]]"
	}
	cases := []struct {
		name, input string
		want        []string
	}{
		{"growth", `{"runs":` + repeated(5, "1000,2000,4000") + `}`, []string{"growth-locked high", "-shared-seed", "-early-reset"}},
		{"shared seed", `{"runs":` + repeated(5, "700,400,2300,1100") + `}`, []string{"shared-seed high", "-growth-locked"}},
		{"one run", `{"runs":[[1000,2000,4000]]}`, []string{"-growth-locked", "-narrow-first-delay"}},
		{"resync", `{"runs":` + spaced(10, 6, func(i, k int) float64 {
			if k == 3 {
				return 60000 - 3*float64(1000+300*i) // onto the full minute
			}
			return float64(1000 + 300*i)
		}) + `}`, []string{"resync high"}},
		{"drawn once", `{"runs":` + spaced(10, 6, func(i, k int) float64 { return float64(1000+400*i) * []float64{1, 1.3, 1.69, 2.2, 2.86, 3.71}[k] }) + `}`, []string{"drawn-once low"}},
		{"only the first", `{"runs":` + spaced(10, 6, func(i, k int) float64 {
			if k == 0 {
				return float64(500 * i)
			}
			return 90000
		}) + `}`, []string{"drawn-once low", "-clamp-after-jitter"}},
		{"whole seconds", `{"runs":` + spaced(40, 4, func(i, k int) float64 { return float64(1000 + i*7%4*500) }) + `}`, []string{"quantised medium", "point-mass medium"}},
		{"zeros", `{"runs":` + spaced(20, 6, func(i, k int) float64 { return float64(i % 5 * 1000) }) + `}`, []string{"zero-delay high"}},
		{"a lone zero", `{"runs":` + spaced(50, 6, func(i, k int) float64 { return float64((i*37 + k*11) % 50 * 100) }) + `}`, []string{"-zero-delay"}},
		{"opened, dropped", `{"scenario":"open-then-dropped","runs":` + repeated(3, "1000,1000,1000,1000,1000") + `}`, []string{"early-reset high"}},
		{"opened, dropped, backing off", `{"scenario":"open-then-dropped","runs":` + repeated(3, "1000,2000,4000,8000,16000") + `}`, []string{"-early-reset"}},
		{"acknowledged, dropped", `{"scenario":"acknowledged-then-dropped","runs":` + repeated(3, "1000,1000,1000,1000,1000") + `}`, []string{"-early-reset"}},
		{"fatal", `{"scenario":"fatal","runs":[[1000,2000,4000]]}`, []string{"retry-fatal medium"}},
		{"policy violation", `{"scenario":"close-1008","runs":[[1000,2000,4000]]}`, []string{"retry-fatal medium"}},
		{"application's own", `{"scenario":"close-4004","runs":[[1000,2000,4000]]}`, []string{"retry-fatal medium"}},
		{"one more try", `{"scenario":"close-1008","runs":[[1000]]}`, []string{"-retry-fatal"}},
		{"going away", `{"scenario":"close-1001","runs":` + repeated(3, "1000,2000,4000") + `}`, []string{"-retry-fatal", "growth-locked high"}},
		{"hint", `{"scenario":"hint","hint_ms":30000,"runs":[[1000,30000],[31000]]}`, []string{"hint-ignored medium"}},
		{"hint to the letter", `{"scenario":"hint","hint_ms":30000,"runs":[[30000],[30000],[30001]]}`, []string{"hint-ignored medium"}},
		{"hint and a draw", `{"scenario":"hint","hint_ms":30000,"runs":[[30100],[34000],[38000]]}`, []string{"-hint-ignored"}},
		{"overlap", `{"runs":[[1000,-20,1000],[1000,5,1000]]}`, []string{"parallel-loops high", "-growth-locked"}},
		{"parallel", `{"parallel":2,"runs":[[1000,20,1000],[1000,5,1000]]}`, []string{"parallel-loops high"}},
		{"wake", `{"scenario":"wake","runs":[[0],[3]]}`, []string{"wake-bypass medium"}},
		{"wake with a draw", `{"scenario":"wake","runs":[[400],[3000]]}`, []string{"-wake-bypass"}},
		{"hang for ever", `{"scenario":"hang","endings":["not-observed"],"runs":[[]]}`, []string{"bad-timeout high", "-not-observed"}},
		{"hang too long", `{"scenario":"hang","held_ms":[[130000,130000]],"runs":[[1000]]}`, []string{"bad-timeout high"}},
		{"hang too short", `{"scenario":"hang","held_ms":[[500,500]],"runs":[[1000]]}`, []string{"bad-timeout high"}},
		{"hang", `{"scenario":"hang","held_ms":[[10000,10000]],"endings":["observed"],"runs":[[1000]]}`, []string{"-bad-timeout"}},
		{"never resets", `{"scenario":"sessions","runs":[[1000,2000,4000,8000]]}`, []string{"never-resets medium"}},
		{"resets", `{"scenario":"sessions","runs":[[1000,700,900,1100]]}`, []string{"-never-resets"}},
		{"falls to zero", `{"scenario":"failures","runs":` + long(true) + `}`, []string{"overflow critical"}},
		{"stays", `{"scenario":"failures","runs":` + long(false) + `}`, []string{"-overflow"}},
		{"gave up", `{"endings":["gave-up","gave-up"],"runs":[[1000,2000],[1100,1900]]}`, []string{"gives-up info", "-not-observed"}},
		{"not observed", `{"endings":["observed","not-observed"],"runs":[[1000,2000,3000,4000,5000],[1100,1900]]}`, []string{"not-observed high"}},
		{"from elsewhere", `{"runs":[[1000,2000],[1100,1900]]}`, []string{"-not-observed"}},
		{"two scenarios", `[{"scenario":"refused","runs":` + repeated(3, "1000,2000,4000") + `},{"scenario":"dropped","runs":` + repeated(3, "0,2000,4000") + `}]`,
			[]string{"growth-locked high", "immediate-retry high", "zero-delay high"}},
	}
	for _, c := range cases {
		list, err := lint.Read([]byte(c.input))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r, err := lint.Observed(list, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		fires(t, c.name, r, c.want, tested)
	}
}

// No rule of schedules is without a test of its own. (Last in its file: it looks at what the others did.)
func TestEveryRuleIsTested(t *testing.T) {
	if len(tested) == 0 {
		t.Fatal("this test looks at what the others of its file did: run it with them, go test ./core/lint")
	}
	of := map[string]bool{}
	for _, r := range finding.Rules() {
		of[r.ID] = true
		if r.ID == "not-observed" {
			break // the rules of logs come after
		}
	}
	for id := range of {
		if !tested[id] {
			t.Errorf("%s has no test", id)
		}
	}
}

func TestWarnings(t *testing.T) {
	for input, want := range map[string]string{
		`[[1,2],[3,4]]`:                           "no delay is above 50 ms",
		`[[20000000],[30000000]]`:                 "every delay is above 10000000 ms",
		`[[1000,2000]]`:                           "one run: whether clients come back together cannot be judged",
		`[[1000,2000],[1100,2200]]`:               "2 runs: a weak jitter may be missed",
		`[[1000,2000],[1100]]`:                    "runs of 1 to 2 delays",
		`[[1000,2000],[]]`:                        "1 of 2 runs are empty and were left out",
		repeated(20, "1000,2000,4000"):            "",
		`{"scenario":"x","runs":[[1000],[2000]]}`: "x: 2 runs",
	} {
		list, err := lint.Read([]byte(input))
		if err != nil {
			t.Fatal(err)
		}
		r, err := lint.Observed(list, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(r.Warnings, "; "); !strings.Contains(all, want) || want == "" && all != "" {
			t.Errorf("%s: warnings %q, want %q", input, all, want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]lint.Options{
		"clients is -1":        {Clients: -1, Capacity: 1},
		"capacity is -1":       {Clients: 1, Capacity: -1},
		"only useful together": {Clients: 5},
		`runtime is "php"`:     {Runtime: "php"},
		"budget is -2":         {Budget: -2},
	} {
		if _, err := lint.Spec("full:1s:30s", o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
		if _, err := lint.Observed([]lint.Runs{{}}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, list := range [][]lint.Runs{nil, {{}}} {
		if _, err := lint.Observed(list, lint.Options{}); err == nil {
			t.Error("no runs must be an error")
		}
	}
}

// The JSON form is valid, whatever the subject.
func TestJSON(t *testing.T) {
	r, err := lint.Spec("lib:socket.io-client", lint.Options{Clients: 10, Capacity: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	var form struct {
		Schema, Policy    string
		Findings          []struct{ Rule, Severity string }
		Envelope          []map[string]float64
		Clients, Capacity float64
	}
	if err := json.Unmarshal(r.AppendJSON(nil), &form); err != nil {
		t.Fatal(err)
	}
	if form.Schema != "stormlint/lint/1" || form.Clients != 10 || form.Capacity != 0.5 || len(form.Envelope) != 24 || form.Envelope[4]["point_mass"] != 1 || form.Findings[0].Rule != "overflow" {
		t.Errorf("%+v", form)
	}
	if worst, ok := r.Worst(); worst != finding.Critical || !ok {
		t.Error(worst)
	}
}

func ExampleSpec() {
	r, err := lint.Spec("exp:1s:30s,reset=5s", lint.Options{})
	if err != nil {
		panic(err)
	}
	for _, f := range r.Findings {
		fmt.Println(f.Severity, f.Rule)
	}
	fmt.Println(r.Findings[0].Message)
	// Output:
	// high growth-locked
	// info unbounded-attempts
	// no jitter (growth-locked): every client waits 1 s, 2 s, 4 s, 8 s, 16 s, 30 s …; clients that fall together come back in the same instant, at every attempt
}

// Whatever is read is judged without a panic, the same way twice, and the answer is JSON.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`[[1,2],[3]]`, `[1,2]`, `{"scenario":"hang","runs":[[1]],"held_ms":[[5]]}`, `[{"runs":[]}]`, "1,2\n3;4", `{"runs":[[-1]],"parallel":3,"endings":["gave-up"]}`,
		`{"runs":[[0,0],[0,0]],"far":[{"attempt":9,"delay_ms":-1}]}`, `{"scenario":"close-1008","runs":[[1],[2]],"hint_ms":1e9,"resolution_ms":0.001}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := lint.Read([]byte(text))
		if err != nil {
			return
		}
		r, err := lint.Observed(list, lint.Options{})
		if err != nil {
			return
		}
		b := r.AppendJSON(nil)
		if !json.Valid(b) {
			t.Fatalf("not JSON: %s", b)
		}
		list, _ = lint.Read([]byte(text))
		if again, err := lint.Observed(list, lint.Options{}); err != nil || string(again.AppendJSON(nil)) != string(b) {
			t.Fatal("two answers to one question")
		}
	})
}
