package backoff

// Proportional draws around the ceiling by a share of it: c·(1 ± spread), only above with sign=+, only below with sign=-.
//
//	prop:1s:120s:1.6:0.2           0.8..1.2, 1.28..1.92, 2.05..3.07 … 96..144 s
//	prop:200ms:none:2:0.2,sign=+   200..240, 400..480, 800..960 ms …
//
// gRPC's connection backoff (2015) has 1.6 and ±20 %. The cap bounds the ceiling, so waits may exceed it by the spread;
// with cap=after the jitter is lost on the cap, as in Socket.IO (1 s, ±50 %, clamped at 5 s: all clients on 5 s from the
// fifth attempt on).
const Proportional Jitter = "prop"

func proportionalRange(c, spread float64, sign Sign) (lo, hi float64) {
	by := float64(c * spread)
	lo, hi = c-by, c+by
	switch sign {
	case Plus:
		lo = c
	case Minus:
		hi = c
	}
	return lo, hi
}
