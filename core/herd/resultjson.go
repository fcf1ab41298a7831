package herd

import (
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/lapse"
)

// AppendJSON appends the result as the next value; times that did not come are null.
func (r *Result) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "policy"), r.Policy)
	b = jsonwrite.Int(jsonwrite.Key(b, "clients"), int64(r.Clients))
	b = jsonwrite.Object(jsonwrite.Key(b, "recovery"))
	b = r.Recovery.append(b)
	b = jsonwrite.Int(jsonwrite.Key(b, "recovered"), int64(r.Recovered))
	b = jsonwrite.Int(jsonwrite.Key(b, "gave_up"), int64(r.GaveUp))
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Object(jsonwrite.Key(b, "wait"))
	b = r.Wait.append(b)
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Fixed(jsonwrite.Key(b, "peak_per_s"), r.Peak, 3)
	b = millis(jsonwrite.Key(b, "peak_bin_ms"), r.PeakBin)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "outage_peak_per_s"), r.OutagePeak, 3)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "waste_per_client"), r.Waste, 4)
	b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), r.Arrivals)
	b = jsonwrite.Int(jsonwrite.Key(b, "refused"), r.Refused)
	b = jsonwrite.Int(jsonwrite.Key(b, "turned_away"), r.TurnedAway)
	b = jsonwrite.Int(jsonwrite.Key(b, "timed_out"), r.TimedOut)
	b = jsonwrite.Int(jsonwrite.Key(b, "syn_lost"), r.Silent)
	b = jsonwrite.Int(jsonwrite.Key(b, "fd_peak"), r.Descriptors)
	b = jsonwrite.String(jsonwrite.Key(b, "stopped"), r.Stopped)
	b = millis(jsonwrite.Key(b, "stopped_at_ms"), r.StoppedAt)
	b = jsonwrite.String(jsonwrite.Key(b, "reason"), r.Reason.Code)
	b = jsonwrite.String(jsonwrite.Key(b, "explanation"), r.Reason.Text)
	b = jsonwrite.Object(jsonwrite.Key(b, "work"))
	b = jsonwrite.Fixed(jsonwrite.Key(b, "useful"), r.Work.Useful, 4)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "departed"), r.Work.Departed, 4)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "refusals"), r.Work.Refusals, 4)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "idle"), r.Work.Idle, 4)
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Array(jsonwrite.Key(b, "groups"))
	for i := range r.Groups {
		g := &r.Groups[i]
		b = jsonwrite.Object(b)
		b = jsonwrite.String(jsonwrite.Key(b, "name"), g.Name)
		b = jsonwrite.Int(jsonwrite.Key(b, "clients"), int64(g.Clients))
		b = jsonwrite.Object(jsonwrite.Key(b, "recovery"))
		b = g.Recovery.append(b)
		b = jsonwrite.Int(jsonwrite.Key(b, "recovered"), int64(g.Recovered))
		b = jsonwrite.Int(jsonwrite.Key(b, "gave_up"), int64(g.GaveUp))
		b = jsonwrite.End(jsonwrite.End(b, '}'), '}')
	}
	b = jsonwrite.End(b, ']')
	b = r.Series.append(jsonwrite.Key(b, "arrivals"))
	b = r.Head.append(jsonwrite.Key(b, "head"))
	b = r.Form.append(jsonwrite.Key(b, "closed_form"), r.Limit)
	if len(r.Nodes) > 0 {
		b = integers(jsonwrite.Key(b, "sessions_per_node"), r.Nodes)
	}
	return jsonwrite.End(b, '}')
}

func (s *Series) append(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = millis(jsonwrite.Key(b, "bin_ms"), s.Bin)
	b = integers(jsonwrite.Key(b, "counts"), s.Arrivals)
	b = integers(jsonwrite.Key(b, "opens"), s.Opens)
	return jsonwrite.End(b, '}')
}

// append appends the members of an open object.
func (s Spread) append(b []byte) []byte {
	b = millis(jsonwrite.Key(b, "mean_ms"), s.Mean)
	b = millis(jsonwrite.Key(b, "p50_ms"), s.P50)
	b = millis(jsonwrite.Key(b, "p95_ms"), s.P95)
	b = millis(jsonwrite.Key(b, "p99_ms"), s.P99)
	return millis(jsonwrite.Key(b, "last_ms"), s.Last)
}

func (f *Form) append(b []byte, limit lapse.Duration) []byte {
	b = jsonwrite.Object(b)
	b = millis(jsonwrite.Key(b, "limit_ms"), limit)
	duration := func(key string, d lapse.Duration) {
		if d > 0 {
			b = millis(jsonwrite.Key(b, key), d)
		}
	}
	ratio := func(key string, v float64) {
		if v > 0 {
			b = jsonwrite.Fixed(jsonwrite.Key(b, key), v, 3)
		}
	}
	duration("tau_ms", f.Tau)
	ratio("collapse", f.Collapse)
	duration("collapse_recovery_ms", f.CollapseEnd)
	ratio("stale", f.Stale)
	if f.Waves > 0 {
		b = jsonwrite.Int(jsonwrite.Key(b, "waves"), int64(f.Waves))
	}
	duration("waves_recovery_ms", f.WavesEnd)
	duration("window_ms", f.Window)
	ratio("queue_p99", f.QueueP99)
	return jsonwrite.End(b, '}')
}

func integers[T int | int64](b []byte, list []T) []byte {
	b = jsonwrite.Array(b)
	for _, v := range list {
		b = jsonwrite.Int(b, int64(v))
	}
	return jsonwrite.End(b, ']')
}

// millis appends a time in whole milliseconds, or null.
func millis(b []byte, d lapse.Duration) []byte {
	if d == Never {
		return jsonwrite.Null(b)
	}
	return jsonwrite.Int(b, int64((d+lapse.Millisecond/2)/lapse.Millisecond))
}
