package backoff

// Decorrelated draws between the base and a multiple of the wait before: min(cap, U(base, factor·previous)), factor 3.
//
//	decorrelated:1s:30s    1..3, 1..9, 1..27, 1..30 s …
//
// "Decorrelated jitter" of the same article (2015). Its ceiling is a random walk of its own, so there is none to compare
// with; a third to a half of the later waits sit on the cap by design, though rarely two in step.
const Decorrelated Jitter = "decorrelated"

func decorrelatedRange(base, factor, previous float64) (lo, hi float64) {
	if previous < base {
		previous = base
	}
	return base, max(base, float64(factor*previous))
}
