package backoff

// Full draws anywhere below the ceiling: U(0, c).
//
//	full:1s:30s                0..1, 0..2, 0..4, 0..8, 0..16, 0..30, 0..30 s
//	full:1s:30s,floor=500ms    0.5..1, 0.5..2, 0.5..4 … 0.5..30 s
//
// "Full jitter" of Brooker's Exponential Backoff And Jitter (AWS Architecture Blog, 2015), which found it to need less than
// half the calls of plain exponential backoff. Spread 1 at every attempt: the widest wave a ceiling allows.
const Full Jitter = "full"

func fullRange(c float64) (lo, hi float64) { return 0, c }
