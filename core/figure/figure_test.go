package figure

import "testing"

func TestSpellings(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 µs", 1500: "1.5 µs", 38e6: "38 ms", 999.9e6: "1 s", 1.04e9: "1.04 s", 61.5e9: "61.5 s", 125e9: "2 min 5 s", 120e9: "2 min",
		12000e9: "3 h 20 min", 4 * 86400e9: "4 days",
	} {
		if got := Span(ns); got != want {
			t.Errorf("Span(%v) = %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q", n, got)
		}
	}
	for v, want := range map[float64]string{2.5: "2.5", 99.96: "100", 999.6: "1,000", 14111: "14,111"} {
		if got := Decimal(v); got != want {
			t.Errorf("Decimal(%v) = %q, want %q", v, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0 %", 0.001: "under 1 %", 0.5: "50 %", 0.999: "over 99 %", 1: "100 %"} {
		if got := Percent(n); got != want {
			t.Errorf("Percent(%v) = %q", n, got)
		}
	}
}
