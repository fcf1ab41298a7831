package herd

import "github.com/stormlint/stormlint/core/jsonwrite"

// AppendJSON appends the advice as the next value; what does not apply to clients that cannot be changed is null.
func (a *Advice) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "policy"), a.Policy)
	b = jsonwrite.Int(jsonwrite.Key(b, "clients"), int64(a.Clients))
	b = jsonwrite.Float(jsonwrite.Key(b, "capacity"), a.Capacity)
	b = millis(jsonwrite.Key(b, "limit_ms"), a.Limit)
	if a.ClientsFixed {
		for _, key := range [...]string{"window_ms", "retry_ms", "cap_ms"} {
			b = jsonwrite.Null(jsonwrite.Key(b, key))
		}
	} else {
		b = millis(jsonwrite.Key(b, "window_ms"), a.Window)
		b = millis(jsonwrite.Key(b, "retry_ms"), a.Retry)
		b = millis(jsonwrite.Key(b, "cap_ms"), a.Cap)
	}
	b = jsonwrite.Int(jsonwrite.Key(b, "backlog"), int64(a.Backlog))
	b = millis(jsonwrite.Key(b, "timeout_ms"), a.Timeout)
	b = millis(jsonwrite.Key(b, "drain_ms"), a.Drain)
	b = jsonwrite.Int(jsonwrite.Key(b, "batch_size"), int64(a.BatchSize))
	b = millis(jsonwrite.Key(b, "batch_every_ms"), a.BatchEvery)
	b = jsonwrite.Int(jsonwrite.Key(b, "nodes"), int64(a.Nodes))
	b = millis(jsonwrite.Key(b, "node_drain_ms"), a.NodeDrain)
	b = jsonwrite.Float(jsonwrite.Key(b, "admission_per_s"), a.Admission)
	b = jsonwrite.Int(jsonwrite.Key(b, "admission_burst"), int64(a.Burst))
	b = jsonwrite.Fixed(jsonwrite.Key(b, "down_attempts_per_s"), a.DownPerSec, 2)
	b = jsonwrite.Object(jsonwrite.Key(b, "user_wait"))
	b = millis(jsonwrite.Key(b, "mean_ms"), a.WaitMean)
	b = millis(jsonwrite.Key(b, "p95_ms"), a.WaitP95)
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Fixed(jsonwrite.Key(b, "peak_per_s"), a.Peak, 2)
	b = jsonwrite.Array(jsonwrite.Key(b, "if_wrong"))
	for i := range a.IfWrong {
		t := &a.IfWrong[i]
		b = jsonwrite.Object(b)
		b = jsonwrite.String(jsonwrite.Key(b, "case"), t.Case)
		b = jsonwrite.Bool(jsonwrite.Key(b, "recovered"), t.Recovered)
		b = millis(jsonwrite.Key(b, "last_ms"), t.Last)
		b = jsonwrite.Key(b, "last_over_limit")
		if t.Recovered {
			b = jsonwrite.Fixed(b, t.Ratio, 3)
		} else {
			b = jsonwrite.Null(b)
		}
		b = jsonwrite.Fixed(jsonwrite.Key(b, "peak_over_capacity"), t.Peak, 3)
		b = jsonwrite.Fixed(jsonwrite.Key(b, "waste_per_client"), t.Waste, 4)
		b = jsonwrite.String(jsonwrite.Key(b, "reason"), t.Reason.Code)
		b = jsonwrite.End(b, '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Object(jsonwrite.Key(b, "snippets"))
	for _, s := range a.Snippets {
		b = jsonwrite.String(jsonwrite.Key(b, s.Name), s.Text)
	}
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Strings(jsonwrite.Key(b, "warnings"), a.Warnings)
	return jsonwrite.End(b, '}')
}
