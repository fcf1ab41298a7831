package analyze

import (
	"fmt"
	"strings"
	"testing"
)

// retries writes the log of groups of clients that try again and again; the first groups try most.
func retries(groups int) string {
	var b strings.Builder
	for g := range groups {
		for client := range 4 {
			for k := range 6 {
				second := (g*7 + client*13 + k*(2+g%5)) % 3600
				fmt.Fprintf(&b, `{"timestamp":"2026-11-30T10:%02d:%02dZ","client_ip":"10.%d.%d.%d","event_type":"retry","outcome":"refused","retry_interval_ms":%d,"user_agent":"sdk/%d"}`+"\n",
					second/60, second%60, g/200, g%200, client, 1000+100*g+10*client, g)
			}
		}
		if g < mostGroups {
			fmt.Fprintf(&b, `{"timestamp":"2026-11-30T11:00:00Z","client_ip":"10.9.9.%d","event_type":"retry","outcome":"refused","count":%d,"user_agent":"sdk/%d"}`+"\n", g, 200-g, g)
		}
	}
	return b.String()
}

// The groups that are listed are told the same way whether all groups' waits were pooled at once or, because there are too
// many, only theirs in a round of its own; and whoever shares the work.
func TestManyGroups(t *testing.T) {
	var want []string
	for _, groups := range []int{mostPools - 10, mostPools + 50} {
		for _, shares := range []int{1, 3} {
			text := []byte(retries(groups))
			a, err := New(Options{}, sniffed(t, "test.log", text).plan, every, Part{Name: "test.log"})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Feed(text); err != nil {
				t.Fatal(err)
			}
			a.Share(shares, atOnce)
			r, err := a.Finish()
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Groups) != mostGroups {
				t.Fatalf("%d groups are listed", len(r.Groups))
			}
			var got []string
			judged := 0
			for i := range r.Groups {
				g := &r.Groups[i]
				g.Share = 0 // of all attempts, which differ
				got = append(got, fmt.Sprintf("%s %d %+v %v", g.Name, g.Attempts, *g.Schedule, g.Findings))
				if g.Schedule.Verdict == "locked" {
					judged++
				}
			}
			if want == nil {
				want = got
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%d groups, %d shares:\n%s\nwant\n%s", groups, shares, strings.Join(got[:3], "\n"), strings.Join(want[:3], "\n"))
			}
			if judged < mostGroups/2 {
				t.Errorf("%d groups, %d shares: only %d of the listed are judged", groups, shares, judged)
			}
		}
	}
}
