package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/host/guard"
)

const second = int64(1e9)

// log is a hand-made one.
type log struct {
	b connlog.Batch
}

func (l *log) attempt(at int64, client, forwarded, agent string) {
	e := l.b.Add()
	e.Time, e.Client, e.Forwarded, e.UserAgent = at, l.b.Keep([]byte(client)), l.b.Keep([]byte(forwarded)), l.b.Keep([]byte(agent))
}

func (l *log) run(t *testing.T, o guard.Options) *Result {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.b.Events {
		r.Add(&l.b, &l.b.Events[i])
	}
	res, err := r.Result()
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// rush is a quiet fleet, then 100 clients within a second, one that hammers, and an office of five behind one address.
func rush() *log {
	var l log
	base := 1_790_000_000 * second
	for i := range 100 {
		l.attempt(base+int64(i)*second/100, fmt.Sprintf("198.51.100.%d:4%03d", i, i), "", "app/1")
	}
	for i := range 60 {
		l.attempt(base+10*second+int64(i)*second/20, "203.0.113.9", "", "bot")
	}
	for i := range 10 {
		l.attempt(base+20*second+int64(i)*1000, "192.0.2.77", "", fmt.Sprintf("browser/%d", i%5))
	}
	e := l.b.Add() // a close is none of the guard's business, nor is what has no time
	e.Kind, e.Time = connlog.Close, base
	l.b.Add()
	return &l
}

func TestWhoIsRefused(t *testing.T) {
	res := rush().run(t, guard.Options{Fleet: bucket.Limit{Rate: 40, Burst: 20}, Hold: -1})
	l := res.Limits
	if l.Attempts != 170 || l.Clients != 102 || res.Timeless != 1 {
		t.Errorf("%+v", l)
	}
	if l.Hammering != 1 || l.Shared != 1 || l.Rush < 55 || l.Rush > 65 || l.Innocents() != l.Rush+1 {
		t.Errorf("%+v", l)
	}
	kinds := map[string]Kind{}
	for _, c := range res.Refused {
		kinds[c.Name] = c.Kind
	}
	if kinds["203.0.113.9"] != Hammering || kinds["192.0.2.77"] != Shared || kinds["198.51.100.99"] != Rush {
		t.Errorf("%v", kinds)
	}
	if res.Refused[0].Name != "203.0.113.9" || res.PeakCame != 100 || res.PeakLet > 41 {
		t.Errorf("%+v, peaks %d %d", res.Refused[0], res.PeakCame, res.PeakLet)
	}
	if len(res.Around) != 8 {
		t.Errorf("%d other limits", len(res.Around))
	}
}

// TestOrderAndClock: the order of the lines does not matter; that of the instants does.
func TestOrderAndClock(t *testing.T) {
	l := rush()
	forward := l.run(t, guard.Options{}).AppendJSON(nil, nil, -1)
	for i, j := 0, len(l.b.Events)-1; i < j; i, j = i+1, j-1 {
		l.b.Events[i], l.b.Events[j] = l.b.Events[j], l.b.Events[i]
	}
	backward := l.run(t, guard.Options{}).AppendJSON(nil, nil, -1)
	if string(forward) != string(backward) {
		t.Errorf("%s\n%s", forward, backward)
	}
}

func TestUnreadableAddresses(t *testing.T) {
	var l log
	for i := range 6 {
		l.attempt(int64(i), "10.0.0.1", "unknown", "")           // the list cannot be read: the peer
		l.attempt(int64(i), "a-device-name", "", "")             // no address: the text
		l.attempt(int64(i), "-", "6.6.6.6, 198.51.100.1", "")    // the list alone: its newest entry
		l.attempt(int64(i), "('2001:db8::5', 80, 0, 0)", "", "") // /64
	}
	res := l.run(t, guard.Options{Client: bucket.Limit{Rate: 1, Burst: 5}, TrustedProxies: []string{"10.0.0.0/8"}})
	var names []string
	for _, c := range res.Refused {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, "|"); got != "10.0.0.1|198.51.100.1|2001:db8::|peer a-device-name" {
		t.Error(got)
	}
}

func TestRefused(t *testing.T) {
	for _, o := range []guard.Options{{Key: "header:X-Device"}, {Client: bucket.Limit{Rate: -1, Burst: 1}}, {Key: "typo"}} {
		var f *fault.Error
		if _, err := New(o); !errors.As(err, &f) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	r, _ := New(guard.Options{})
	if _, err := r.Result(); !errors.Is(err, fault.Unreadable) {
		t.Errorf("an empty log: %v", err)
	}
}

func TestUndeclaredProxyIsSaid(t *testing.T) {
	var l log
	for i := range 400 {
		l.attempt(int64(i)*second/50, "10.0.0.1", fmt.Sprintf("198.51.100.%d", i%200), "")
	}
	res := l.run(t, guard.Options{})
	if len(res.Suspended) != 1 || !strings.Contains(string(res.Page(Input{}, render.Options{})), "--trusted-proxy") {
		t.Errorf("%v", res.Suspended)
	}
	if res = l.run(t, guard.Options{TrustedProxies: []string{"10.0.0.1"}}); res.Limits.Refusals() != 0 || res.Limits.Clients != 200 {
		t.Errorf("declared: %+v", res.Limits)
	}
}

func TestForms(t *testing.T) {
	res := rush().run(t, guard.Options{Key: "none", Client: bucket.Limit{Rate: math.Inf(1)}, Fleet: bucket.Limit{Rate: 20}})
	var v struct {
		Schema string
		Limits struct {
			FleetRate float64 `json:"fleet_rate"`
			Rate      *float64
		}
		Clients []struct{ Client, Kind string }
	}
	if err := json.Unmarshal(res.AppendJSON(nil, []byte(`{"records":170}`), 3), &v); err != nil || v.Limits.FleetRate != 20 || v.Limits.Rate != nil || len(v.Clients) != 3 || v.Clients[0].Client == "" {
		t.Errorf("%+v %v", v, err)
	}
	for _, o := range []render.Options{{}, {ASCII: true, Width: 60}, {Top: -1}} {
		if page := string(res.Page(Input{Records: 172, Used: 171}, o)); !strings.Contains(page, "20/s, 2 at once") || strings.Contains(page, "NaN") {
			t.Error(page)
		}
	}
}
