package backoff

// Window spreads the fleet once and keeps it spread: the first wait is U(0, W); after a refused attempt exactly W, so that
// phases stay uniform and the last client is back one W after the server; after a timed-out attempt U(½, 1)·w with w
// doubling from W to 4W, which never locks a queue of clients that have already left.
//
//	window:25s    0..25, then 25, 25 s after refusals; 12.5..25, 25..50, 50..100, 50..100 s after timeouts
//
// W is the fleet's size over the server's handshakes a second, with some room: no policy can be faster, and none that
// draws anew each time is as fast. Jitter is needed to make the spread, not to keep it.
const Window Growth = "window"

func (p *Policy) window(s State) (low, width float64) {
	w := float64(p.Base)
	if s.Attempt <= 1 || s.Outcome == Dropped {
		return 0, w
	}
	if s.Outcome == Refused {
		return w, 0
	}
	switch {
	case s.Timeouts == 2:
		w *= 2
	case s.Timeouts > 2:
		w *= 4
	}
	return w / 2, w / 2
}
