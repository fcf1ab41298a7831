package stamp_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
	_ "time/tzdata" // inside WebAssembly there is no zone of the machine

	"github.com/stormlint/stormlint/core/connlog/stamp"
)

func TestLayouts(t *testing.T) {
	iso := func(b []byte) (stamp.Time, int) { return stamp.ISO(b) }
	for _, c := range []struct {
		read       func([]byte) (stamp.Time, int)
		in, want   string
		resolution int64
		rest       string
	}{
		{stamp.CLF, "30/Nov/2026:16:46:05 +0000] x", "2026-11-30T16:46:05Z", 1e9, "] x"},
		{stamp.CLF, "30/Nov/2026:16:46:05 -0330]", "2026-11-30T20:16:05Z", 1e9, "]"},
		{stamp.CLF, "30/Nov/2026:16:46:05.590] fe", "2026-11-30T16:46:05.59Z", 1e6, "] fe"},
		{stamp.CLF, "30/Nov/2026:13:05:36] \"", "2026-11-30T13:05:36Z", 1e9, "] \""},
		{stamp.CLF, "30/Nov/2026 19:07:48]", "2026-11-30T19:07:48Z", 1e9, "]"},
		{stamp.CLF, "31/Dec/2016:23:59:60 +0000", "2017-01-01T00:00:00Z", 1e9, ""},
		{iso, "2026-11-30T16:46:05.123456789Z", "2026-11-30T16:46:05.123456789Z", 1, ""},
		{iso, "2026-11-30T16:46:05.1234567899Z", "2026-11-30T16:46:05.123456789Z", 1, ""},
		{iso, "2026-11-30T16:46:05+02:00", "2026-11-30T14:46:05Z", 1e9, ""},
		{iso, "2026-11-30T16:46:05.5+02", "2026-11-30T14:46:05.5Z", 1e8, ""},
		{iso, "2026-11-30 16:46:05,123 INFO", "2026-11-30T16:46:05.123Z", 1e6, " INFO"},
		{iso, "2026-11-30 19:04:43 +0000] x", "2026-11-30T19:04:43Z", 1e9, "] x"},
		{iso, "2026-11-30 19:04:43 - x", "2026-11-30T19:04:43Z", 1e9, " - x"},
		{iso, "2026/11/30 19:18:53.520322 [DBG]", "2026-11-30T19:18:53.520322Z", 1e3, " [DBG]"},
		{stamp.Epoch, "1796057230: New", "2026-11-30T16:47:10Z", 1e9, ": New"},
		{stamp.Epoch, "1796057166.869", "2026-11-30T16:46:06.869Z", 1e6, ""},
		{stamp.Epoch, "1796057165.9526699", "2026-11-30T16:46:05.9526699Z", 100, ""},
		{stamp.Epoch, "1796057324817", "2026-11-30T16:48:44.817Z", 1e6, ""},
		{stamp.Epoch, "1796057324817.25", "2026-11-30T16:48:44.81725Z", 1e4, ""},
		{stamp.Epoch, "1796057166869412", "2026-11-30T16:46:06.869412Z", 1e3, ""},
		{stamp.Epoch, "1796057166869412345", "2026-11-30T16:46:06.869412345Z", 1, ""},
		{stamp.Short, "261130 19:08:09 web", "2026-11-30T19:08:09Z", 1e9, " web"},
		{func(b []byte) (stamp.Time, int) { return stamp.Syslog(b, 2026) }, "Nov 30 16:46:06 gw", "2026-11-30T16:46:06Z", 1e9, " gw"},
		{func(b []byte) (stamp.Time, int) { return stamp.Syslog(b, 2026) }, "Dec  9 13:01:26 gw", "2026-12-09T13:01:26Z", 1e9, " gw"},
		{func(b []byte) (stamp.Time, int) { return stamp.OfDay(b, 20787) }, "18:43:12.439 [", "2026-11-30T18:43:12.439Z", 1e6, " ["},
	} {
		got, n := c.read([]byte(c.in))
		if n == 0 {
			t.Errorf("%s: not read", c.in)
			continue
		}
		if s := time.Unix(0, got.In(nil)).UTC().Format(time.RFC3339Nano); s != c.want || got.Resolution != c.resolution || c.in[n:] != c.rest {
			t.Errorf("%s: got %s ±%d, rest %q, want %s ±%d, rest %q", c.in, s, got.Resolution, c.in[n:], c.want, c.resolution, c.rest)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, s := range []string{"", "11/30/2026, 4:46:05 PM", "30/11/2026 16:46:05", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
		"2026-11-30T24:00:00Z", "2026-11-30T16:60:05Z", "31/Jun/2026:16:46:05 +0000", "30/nov/2026:16:46:05 +0000", "12345678901", "12345",
		"17960571668694123456", "2026-11-30T16:46:05.Z", "0026-11-30T16:46:05Z", "2026-11-30"} {
		if got, ok := stamp.Any([]byte(s)); ok {
			t.Errorf("%q: read as %+v", s, got)
		}
	}
}

// The oracle is package time: every offset of a zone with summer time, an hour at a time and at its steps.
func TestZone(t *testing.T) {
	berlin := &stamp.Zone{Name: "Europe/Berlin", Steps: []stamp.Step{
		{0, 3600}, {1774746000, 7200}, {1792890000, 3600}, // 2026-03-29 and 2026-10-25, 01:00 UTC
	}}
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == 2026; at = at.Add(30 * time.Minute) {
		y, m, d := at.Date()
		h, mi, _ := at.Clock()
		want := time.Date(y, m, d, h, mi, 0, 0, loc)
		got := time.Unix(0, berlin.UTC(at.UnixNano())).In(loc)
		if gap := want.Day() == 29 && want.Month() == 3 && (at.Hour() == 2); gap != (berlin.Ambiguous(at.UnixNano()) && m == 3) {
			t.Errorf("%s: gap %v", at, gap)
		}
		if berlin.Ambiguous(at.UnixNano()) {
			continue
		}
		if !got.Equal(want) {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
	twice := time.Date(2026, 10, 25, 2, 30, 0, 0, time.UTC).UnixNano()
	if got := time.Unix(0, berlin.UTC(twice)).UTC(); got.Hour() != 0 || got.Minute() != 30 {
		t.Errorf("the repeated hour is read as %s, want its first passing", got)
	}
	never := time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC).UnixNano()
	if got := time.Unix(0, berlin.UTC(never)).UTC(); got.Hour() != 1 || got.Minute() != 30 {
		t.Errorf("the hour that never was is read as %s", got)
	}
}

// Of lines in order the second passing of a repeated hour is known, whatever their pace; where nothing shows it, it is not
// made up. The oracle is package time.
func TestFollowing(t *testing.T) {
	berlin := &stamp.Zone{Name: "Europe/Berlin", Steps: []stamp.Step{{From: 0, Offset: 3600}, {From: 1774746000, Offset: 7200}, {From: 1792890000, Offset: 3600}, {From: 1806195600, Offset: 7200}}}
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := func(at time.Time) int64 {
		l := at.In(loc)
		return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC).UnixNano()
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, pace := range []time.Duration{time.Millisecond * 300, time.Second * 7, time.Minute, 12 * time.Minute} {
		z := berlin.Following()
		begin := time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC)
		for i := range 5 * int(time.Hour/pace) {
			at := begin.Add(time.Duration(i) * pace)
			late := at.Add(-time.Duration(r.Int64N(int64(min(pace*20, 50*time.Second))))) // written out of order
			if got := time.Unix(0, z.UTC(local(late))).UTC(); !got.Equal(late) {
				t.Fatalf("every %s: %s is read as %s", pace, late, got)
			}
		}
	}
	// Begun in the second passing, or with a gap over the step, or jumping about: the first passing.
	for _, list := range [][]string{{"02:40:00", "02:50:00", "03:10:00"}, {"01:50:00", "02:10:00", "02:30:00", "03:10:00"}, {"01:40:00", "01:20:00", "02:50:00", "02:10:00"}} {
		z := berlin.Following()
		for _, s := range list {
			stamped, _ := stamp.Any([]byte("2026-10-25T" + s))
			if got, want := stamped.In(z), berlin.UTC(stamped.Local); got != want {
				t.Errorf("%v: %s is read as %d, want %d", list, s, got, want)
			}
		}
	}
	if (*stamp.Zone)(nil).Following() != nil || !berlin.RepeatsBetween(1792886400e9, 1792886401e9) || berlin.RepeatsBetween(1792886401e9, 1806195700e9) {
		t.Error("which stretches repeat")
	}
}

// Printing by package time and reading back is the identity.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		at := time.Unix(0, r.Int64N(7_000_000_000_000_000_000)).UTC()
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.000Z", "02/Jan/2006:15:04:05 -0700", "2006/01/02 15:04:05.000000"} {
			s := at.In(time.FixedZone("", r.IntN(24*3600)/900*900-12*3600)).Format(layout)
			if layout[4] == '/' || layout[len(layout)-1] == 'Z' {
				s = at.Format(layout)
			}
			got, ok := stamp.Any([]byte(s))
			want := at.UnixNano() / got.Resolution * got.Resolution
			if !ok || got.In(nil)/got.Resolution*got.Resolution != want {
				t.Fatalf("%s: got %v, want %d", s, got, want)
			}
		}
		if got, ok := stamp.Any(strconv.AppendInt(nil, at.UnixMilli(), 10)); at.Year() > 2003 && (!ok || got.In(nil) != at.UnixMilli()*1e6) {
			t.Fatalf("%d: got %v", at.UnixMilli(), got)
		}
	}
}

// Every day that a log can mean, against package time.
func TestEveryDay(t *testing.T) {
	for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= 2200; at = at.AddDate(0, 0, 1) {
		if got, ok := stamp.Any([]byte(at.Format("2006-01-02T15:04:05Z"))); !ok || got.Local != at.UnixNano() {
			t.Fatalf("%s: %v", at, got)
		}
		if _, ok := stamp.Any([]byte(at.Format("2006-01-") + "32T00:00:00Z")); ok {
			t.Fatalf("%s: 32nd read", at)
		}
		if last := at.AddDate(0, 0, 1); last.Day() == 1 {
			if _, ok := stamp.Any([]byte(at.Format("2006-01-") + strconv.Itoa(at.Day()+1) + "T00:00:00Z")); ok {
				t.Fatalf("the day after %s read", at)
			}
		}
	}
}

func FuzzStamp(f *testing.F) {
	for _, s := range []string{"30/Nov/2026:16:46:05 +0000", "2026-11-30T16:46:05.123+02:00", "1796057166.869", "Nov 30 16:46:06", "261130 19:08:09", "18:43:12.439"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, read := range []func([]byte) (stamp.Time, int){stamp.CLF, stamp.ISO, stamp.Epoch, stamp.Short,
			func(b []byte) (stamp.Time, int) { return stamp.Syslog(b, 2026) },
			func(b []byte) (stamp.Time, int) { return stamp.OfDay(b, 20787) }} {
			got, n := read(b)
			if n < 0 || n > len(b) || n > 0 && (got.Resolution < 1 || got.Local < 0) {
				t.Fatalf("%q: %+v, %d", b, got, n)
			}
		}
		stamp.Any(b)
	})
}

func BenchmarkCLF(b *testing.B) {
	s := []byte("30/Nov/2026:16:46:05 +0000]")
	for b.Loop() {
		stamp.CLF(s)
	}
}

// A Clock reads what the functions read, whatever it read before.
func TestClock(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	list := []string{"30/Nov/2026:16:46:05 +0000", "30/Nov/2026:16:46:05.590]", "30/Nov/2026 16:46:05", "2026-11-30T16:46:05.123+02:00", "2026-11-30 16:46:05,123 INFO",
		"2026/11/30 16:46:05", "261130 16:46:05 web", "2026-11-30T16:46:60Z", "2026-11-30T16:46:61Z", "30/Nov/2026:16:46:5", "2026-11-30T16:46:05 +0200", "1796057166.869"}
	var clock stamp.Clock
	rounds := 200_000
	if testing.Short() {
		rounds = 20_000
	}
	for range rounds {
		b := []byte(list[r.IntN(len(list))])
		for range r.IntN(3) {
			b[r.IntN(len(b))] = "0123456789:/- T+."[r.IntN(17)]
		}
		b = b[:len(b)-r.IntN(3)*r.IntN(4)]
		for name, read := range map[string][2]func([]byte) (stamp.Time, int){
			"CLF": {stamp.CLF, clock.CLF}, "ISO": {stamp.ISO, clock.ISO}, "Short": {stamp.Short, clock.Short},
		} {
			want, n := read[0](b)
			got, m := read[1](b)
			if got != want || n != m {
				t.Fatalf("%s %q: %+v %d, want %+v %d", name, b, got, m, want, n)
			}
		}
		want, ok := stamp.Any(b)
		if got, good := clock.Any(b); got != want || ok != good {
			t.Fatalf("%q: %+v, want %+v", b, got, want)
		}
	}
}

// What languages print where nobody chose a layout.
func TestWrittenByThemselves(t *testing.T) {
	for in, want := range map[string]string{
		"2026-11-30 16:46:05 UTC":                        "2026-11-30T16:46:05Z 1s",
		"2026-11-30 16:46:05.25 GMT":                     "2026-11-30T16:46:05.25Z 10ms",
		"2026-11-30 17:46:05 +0100 CET":                  "2026-11-30T16:46:05Z 1s",
		"2026-11-30 16:46:05.5 +0000 UTC m=+0.012345678": "2026-11-30T16:46:05.5Z 100ms",
		"2026-11-30 16:46:05.5 +0000 UTC m=-0.01":        "2026-11-30T16:46:05.5Z 100ms",
		"Mon, 30 Nov 2026 16:46:05 GMT":                  "2026-11-30T16:46:05Z 1s",
		"1.796057165123E9":                               "2026-11-30T16:46:05.123Z 1ms",
		"1.796057165123e+12":                             "2026-11-30T16:46:05.123Z 1ms",
		"1.79605716512E12":                               "2026-11-30T16:46:05.12Z 10ms",
		"1.79605717E9":                                   "2026-11-30T16:46:10Z 10s",
		"2026-11-30 16:46:05 CET":                        "", // the offset is not known
		"2026-11-30 16:46:05 ":                           "",
		"2026-11-30 16:46:05 UTC and more":               "",
		"2026-11-30 16:46:05 +0100 CETCETCET":            "",
		"Mon, 30 Nov 2026 16:46:05 CET":                  "",
		"Mon, 31 Nov 2026 16:46:05 GMT":                  "",
		"1.796E9":                                        "", // that is a day and more
		"1.79606e+09":                                    "",
		"1.796057165123E":                                "",
		"1.796057165123E99":                              "",
		"1.796057165123E-9":                              "",
		"0.796057165123E9":                               "",
		"1.7":                                            "",
	} {
		got := ""
		if at, ok := stamp.Any([]byte(in)); ok {
			got = time.Unix(0, at.In(&stamp.Zone{Steps: []stamp.Step{{Offset: 7200}}})).UTC().Format(time.RFC3339Nano) + " " + time.Duration(at.Resolution).String()
		}
		var c stamp.Clock
		if at, ok := c.Any([]byte(in)); ok != (want != "") {
			t.Errorf("%s: the clock gives %v, %v", in, at, ok)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
