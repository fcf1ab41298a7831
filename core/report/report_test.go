package report

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
)

var update = flag.Bool("update", false, "write the golden files")

func example() *Report {
	no := false
	at := civil.Days(2026, 11, 30) * civil.Day
	return &Report{
		Input: Input{
			Records: 9, Used: 6, Ignored: 1,
			Skipped: []Skipped{{Reason: "not valid JSON", Count: 2, Source: "a.log", FirstRecord: 3, FirstLine: 4, Sample: `{"x":"<cut>`}},
			Sources: []Source{{Name: "a.log", Format: "base", Records: 9}},
			Formats: []string{"base"},
			From:    at, To: at + 5*civil.Second, Resolution: civil.Millisecond,
		},
		BlindSpots: []string{"Sessions still open at the end are not in this log."},
		Clients: []Client{{
			Name: "192.0.2.7", Key: "192.0.2.7", UserAgents: []string{"", "probe/1"},
			First: at, Last: at + 5*civil.Second, Resolution: civil.Millisecond,
			Attempts: 4, Sessions: 1, OpenSessions: 0, Refused: 2, Aborted: 1, Closes: 1, PeakPerMin: 4, OverThreshold: true, MaxParallel: 1,
			Lifetimes: Spread{N: 1, Mean: 2.5e9, Min: 2_500_000_000, Max: 2_500_000_000},
			Delays:    Spread{N: 3, Mean: 1e9, SD: 1.25e8, Min: 875_000_000, Max: 1_125_000_001},
			HasJitter: &no,
		}, {Name: "-", Key: "-", First: None, Last: None}},
		Arrivals: Arrivals{From: at, Bin: civil.Second, Attempts: []int64{1, 0, 3}, Opens: []int64{1, 0, 0}, Closes: []int64{0, 0, 1}},
		Totals:   Totals{Clients: 2, Attempts: 4, Sessions: 1, Refused: 2, Aborted: 1, Closes: 1, OverThreshold: 1},
	}
}

func TestGolden(t *testing.T) {
	got := example().AppendJSON(nil)
	if !json.Valid(got) {
		t.Fatalf("not valid JSON: %s", got)
	}
	const file = "testdata/example.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != string(got)+"\n" {
		t.Errorf("%s differs (%v); run with -update and read the difference:\n%s", file, err, got)
	}
}

func TestEmpty(t *testing.T) {
	r := Report{Input: Input{From: None, To: None}}
	if got := r.AppendJSON(nil); !json.Valid(got) {
		t.Fatalf("not valid JSON: %s", got)
	}
}

func TestBins(t *testing.T) {
	for _, c := range []struct {
		span, least int64
		most        int
		width       int64
	}{
		{0, 0, 10, civil.Millisecond},
		{0, civil.Second, 10, civil.Second},
		{9 * civil.Second, 0, 10, civil.Second},
		{10 * civil.Second, 0, 10, 2 * civil.Second},
		{civil.Day, 0, 2000, civil.Minute},
		{400 * civil.Day, 0, 100, 8 * civil.Day},
	} {
		start, width, n := Bins(0, c.span, c.least, c.most)
		if width != c.width || start != 0 || n > c.most || n < 1 || start+int64(n)*width <= c.span {
			t.Errorf("Bins(0, %d, %d, %d) = %d, %d, %d; want width %d", c.span, c.least, c.most, start, width, n, c.width)
		}
	}
	if start, width, n := Bins(None, -(None + 1), 0, MaxBins); n > MaxBins || n < 1 || start > None+width {
		t.Errorf("the widest range gives %d, %d, %d", start, width, n)
	}
	if start, width, _ := Bins(-1, 1, 0, 10); start != -civil.Millisecond || width != civil.Millisecond {
		t.Errorf("before 1970: %d, %d", start, width)
	}
}
