package backoff

// Equal keeps half of the ceiling and draws the other half: U(c/2, c).
//
//	equal:1s:30s    0.5..1, 1..2, 2..4, 4..8, 8..16, 15..30, 15..30 s
//
// "Equal jitter" of the same article (2015). It never waits almost nothing, and its wave is half as wide as full jitter's.
const Equal Jitter = "equal"

func equalRange(c float64) (lo, hi float64) { return c / 2, c }
