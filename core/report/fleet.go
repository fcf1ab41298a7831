package report

import "github.com/stormlint/stormlint/core/jsonwrite"

// Fleet is what many clients did together.
type Fleet struct {
	Clumping     []Clumping
	Waves        []Wave
	Drops        []Drop
	Periodic     []Period
	CapacitySeen float64 // the most accepted handshakes a second that were kept up; 0 for unknown
	Verdict      string  // "herd", "calm" or "undecided"
}

// Clumping is the test at one scale: are arrivals more clumped than independent ones?
type Clumping struct {
	Scale  int64   // ns
	P      float64 // chance of such clumping without a herd, 0 to 1
	Factor float64 // 1 by chance, about the number of clients for a herd without jitter
}

// Wave is a stretch in which far more attempts came than around it.
type Wave struct {
	At       int64 // ns since 1970
	Clients  int64 // distinct ones
	Attempts int64
	Width    int64   // ns in which the middle nine tenths of the attempts lie
	Peak     float64 // attempts in the busiest second
	Mark     string  // the latest mark in the ten minutes before; "" without one
}

// Drop is a moment at which many sessions ended together.
type Drop struct {
	At          int64
	Clients     int64
	Sessions    int64
	ClosedBy    string  // who ended most of them: client, server, proxy_timeout, proxy, takeover, unknown
	LifetimesCV float64 // small for a timeout or an age limit, large for a reload or a cut; −1 for unknown
	Lifetime    int64   // their mean life, ns; None for unknown
	Lost        int64   // clients that did not come back although the log goes on for ten minutes or more; None where it does not
	Mark        string
}

// Equal reports lives of one length: a timeout or an age limit ended them. Uneven reports lives of many lengths: an event
// did. Between the two nothing is said.
func (d *Drop) Equal() bool {
	return d.LifetimesCV >= 0 && (d.LifetimesCV < 0.03 || d.LifetimesCV < 0.1 && d.LifetimesCV*float64(d.Lifetime) < 2e9)
}

// Uneven: see Equal.
func (d *Drop) Uneven() bool { return d.LifetimesCV >= 0.2 }

// Period is a beat that the fleet keeps.
type Period struct {
	Period int64   // ns
	Offset int64   // ns after a multiple of the period since 1970
	Share  float64 // of attempts in the busiest tenth of the period
}

// AppendJSON appends the fleet as the next value.
func (f *Fleet) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Array(jsonwrite.Key(b, "clumping"))
	for _, c := range f.Clumping {
		b = jsonwrite.Object(b)
		b = jsonwrite.Millis(jsonwrite.Key(b, "scale_ms"), c.Scale)
		b = jsonwrite.Float(jsonwrite.Key(b, "p"), Rounded(c.P))
		b = jsonwrite.Fixed(jsonwrite.Key(b, "factor"), c.Factor, 2)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "waves"))
	for _, w := range f.Waves {
		b = jsonwrite.Object(b)
		b = jsonwrite.Time(jsonwrite.Key(b, "at"), w.At, 1e6)
		b = jsonwrite.Int(jsonwrite.Key(b, "clients"), w.Clients)
		b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), w.Attempts)
		b = jsonwrite.Millis(jsonwrite.Key(b, "width_ms"), w.Width)
		b = jsonwrite.Fixed(jsonwrite.Key(b, "peak_per_s"), w.Peak, 2)
		b = appendMark(b, w.Mark)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "mass_drops"))
	for _, d := range f.Drops {
		b = jsonwrite.Object(b)
		b = jsonwrite.Time(jsonwrite.Key(b, "at"), d.At, 1e6)
		b = jsonwrite.Int(jsonwrite.Key(b, "clients"), d.Clients)
		b = jsonwrite.Int(jsonwrite.Key(b, "sessions"), d.Sessions)
		b = jsonwrite.String(jsonwrite.Key(b, "closed_by"), d.ClosedBy)
		b = jsonwrite.Key(b, "lifetimes_cv")
		if d.LifetimesCV < 0 {
			b = jsonwrite.Null(b)
		} else {
			b = jsonwrite.Fixed(b, d.LifetimesCV, 3)
		}
		b = appendSpan(jsonwrite.Key(b, "lifetime_ms"), d.Lifetime)
		b = jsonwrite.Key(b, "not_returned")
		if d.Lost == None {
			b = jsonwrite.Null(b)
		} else {
			b = jsonwrite.Int(b, d.Lost)
		}
		b = appendMark(b, d.Mark)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Array(jsonwrite.Key(b, "periodic"))
	for _, p := range f.Periodic {
		b = jsonwrite.Object(b)
		b = jsonwrite.Millis(jsonwrite.Key(b, "period_ms"), p.Period)
		b = jsonwrite.Millis(jsonwrite.Key(b, "offset_ms"), p.Offset)
		b = jsonwrite.Fixed(jsonwrite.Key(b, "share"), p.Share, 3)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Key(b, "capacity_seen")
	if f.CapacitySeen > 0 {
		b = jsonwrite.Fixed(b, f.CapacitySeen, 2)
	} else {
		b = jsonwrite.Null(b)
	}
	b = jsonwrite.String(jsonwrite.Key(b, "verdict"), f.Verdict)
	return jsonwrite.End(b, '}')
}

func appendMark(b []byte, mark string) []byte {
	b = jsonwrite.Key(b, "mark")
	if mark == "" {
		return jsonwrite.Null(b)
	}
	return jsonwrite.String(b, mark)
}

// Rounded keeps three figures of a chance, by way of a shortest decimal.
func Rounded(p float64) float64 {
	if p <= 0 || p >= 1 {
		return p
	}
	scale := 1.0
	for p*scale < 100 && scale < 1e300 {
		scale *= 10
	}
	n := float64(p * scale)
	return float64(int64(n+0.5)) / scale
}
