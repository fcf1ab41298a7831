package civil_test

import (
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/civil"
)

// The oracle is package time: every day of the eight centuries an instant can name, and beyond.
func TestAgainstTime(t *testing.T) {
	for day := int64(-400_000); day <= 400_000; day++ {
		want := time.Unix(day*86400, 0).UTC()
		y, m, d := civil.Date(day)
		if y != want.Year() || m != int(want.Month()) || d != want.Day() {
			t.Fatalf("Date(%d) = %d-%d-%d, want %s", day, y, m, d, want)
		}
		if got := civil.Days(y, m, d); got != day {
			t.Fatalf("Days(%d, %d, %d) = %d, want %d", y, m, d, got, day)
		}
		if !civil.Valid(y, m, d) {
			t.Fatalf("Valid(%d, %d, %d) = false", y, m, d)
		}
	}
}

func TestValid(t *testing.T) {
	for _, d := range [][3]int{{2026, 0, 1}, {2026, 13, 1}, {2026, 2, 29}, {1900, 2, 29}, {2026, 4, 31}, {2026, 1, 0}, {2026, 1, 32}} {
		if civil.Valid(d[0], d[1], d[2]) {
			t.Errorf("Valid(%v) = true", d)
		}
	}
	if !civil.Valid(2000, 2, 29) || !civil.Valid(2024, 2, 29) {
		t.Error("leap days of 2000 and 2024 refused")
	}
}

func TestAppendRFC3339(t *testing.T) {
	at := time.Date(2026, 11, 30, 7, 8, 9, 123_456_789, time.UTC).UnixNano()
	for _, c := range []struct {
		ns, resolution int64
		want           string
	}{
		{at, 1, "2026-11-30T07:08:09.123456789Z"},
		{at, civil.Microsecond, "2026-11-30T07:08:09.123456Z"},
		{at, civil.Millisecond, "2026-11-30T07:08:09.123Z"},
		{at, civil.Second, "2026-11-30T07:08:09Z"},
		{at, 0, "2026-11-30T07:08:09.123456789Z"},
		{at - 456_789, 0, "2026-11-30T07:08:09.123Z"},
		{0, 0, "1970-01-01T00:00:00Z"},
		{-1, 0, "1969-12-31T23:59:59.999999999Z"},
		{-1 << 63, 0, "1677-09-21T00:12:43.145224192Z"},
	} {
		if got := string(civil.AppendRFC3339(nil, c.ns, c.resolution)); got != c.want {
			t.Errorf("AppendRFC3339(%d, %d) = %s, want %s", c.ns, c.resolution, got, c.want)
		}
	}
}
