package abi

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

func sampleLog(t *testing.T) []byte {
	t.Helper()
	log, err := os.ReadFile("../../host/cmd/stormlint/sample.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// report reads a log under options and gives the stream and its report.
func finished(t *testing.T, s *Session, log []byte, options string) (Handle, []byte) {
	t.Helper()
	h, err := s.Open("analyze", []byte(`{"options":`+options+`}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Feed(h, log); err != nil {
		t.Fatal(err)
	}
	report, err := s.Finish(h)
	if err != nil {
		t.Fatal(err)
	}
	return h, report
}

// A page with options judges anew: the report of a whole new reading, in any form, and later answers go with it.
func TestPageJudgesAnew(t *testing.T) {
	s := &Session{}
	log := sampleLog(t)
	h, _ := finished(t, s, log, `{"capacity":3,"top":2}`)
	for _, o := range []string{`{"capacity":50,"mark":["2026-11-30T10:00:00Z=deploy"]}`, `{"threshold":5,"budget":20,"protocol":"discord","include":["probes"],"all":true}`, `{}`} {
		other, want := finished(t, s, log, o)
		got, err := s.Ask(h, Page, []byte(`{"options":`+o+`}`))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n%.200s\nwant\n%.200s", o, err, got, want)
		}
		for _, q := range []string{`{"sort":"risk","n":3}`, `{"output":"markdown"}`} {
			a, _ := s.Ask(h, Page, []byte(q))
			b, _ := s.Ask(other, Page, []byte(q))
			if !bytes.Equal(a, b) {
				t.Errorf("%s after %s:\n%.200s\nwant\n%.200s", q, o, a, b)
			}
		}
	}
	for request, why := range map[string]string{
		`{"options":{"since":"2026-11-30T10:00:00Z"}}`: "unknown key: since", `{"options":{"capacity":"much"}}`: "capacity", `{"options":{"include":["tiers"]}}`: "tiers",
	} {
		if _, err := s.Ask(h, Page, []byte(request)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %s", request, err, why)
		}
	}
}

// Records are shown by the numbers that evidence names them by, in lines and in arrays, one a line.
func TestRecords(t *testing.T) {
	s := &Session{}
	lines := bytes.TrimSpace(sampleLog(t))
	array := append(append([]byte("["), bytes.ReplaceAll(lines, []byte("\n"), []byte(","))...), ']')
	all := bytes.Split(lines, []byte("\n"))
	for name, log := range map[string][]byte{"lines": lines, "array": array} {
		h, err := s.Open("records", []byte(`{"records":[900,1,900,1417,9999]}`))
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for at := 0; at < len(log); at += 10_000 {
			b, err := s.Feed(h, log[at:min(at+10_000, len(log))])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b...)
		}
		b, err := s.Finish(h)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b...)
		shown := strings.Split(strings.TrimSpace(string(got)), "\n")
		if len(shown) != 3 {
			t.Fatalf("%s: %d records\n%s", name, len(shown), got)
		}
		for i, n := range []int{1, 900, 1417} {
			line := n
			if name == "array" {
				line = 1
			}
			head := fmt.Sprintf(`{"record":%d,"line":%d,"offset":%d,"sample":"`, n, line, bytes.Index(log, all[n-1]))
			if !strings.HasPrefix(shown[i], head) || !strings.Contains(shown[i], `timestamp`) {
				t.Errorf("%s: %s\nwant %s", name, shown[i], head)
			}
		}
	}
}
