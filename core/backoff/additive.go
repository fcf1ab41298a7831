package backoff

// Additive adds a draw of constant size to the ceiling: c + U(low, high).
//
//	additive:1s:30s:2:1s           1..2, 2..3, 4..5, 8..9 … 30..31 s
//	additive:2s:2s:1:100ms         2..2.1 s always
//	additive:1s:5s:2:-500ms..500ms 0.5..1.5, 1.5..2.5, 3.5..4.5, 4.5..5.5 s
//
// The form of the cloud providers' retry guides (2^n s plus up to 1000 ms) and of the NATS clients. The ceiling grows, the
// wave does not: at 30 s it is one second wide.
const Additive Jitter = "additive"

func additiveRange(c float64, extra Range) (lo, hi float64) {
	return c + float64(extra.Low), c + float64(extra.High)
}
