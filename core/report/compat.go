package report

import (
	"slices"

	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Compat is the report of the original prototype, field for field. Its clients are asked for one by one, so that a
// million of them need no second copy.
type Compat struct {
	EvaluatedAt int64                                 // ns since 1970 UTC: when the report was made, as the caller says
	Threshold   int64                                 // requests from which a client counts as rate limited
	Clients     int                                   // how many clients there are
	Client      func(i int, room []byte) CompatClient // room is where the client's text may be put; several may ask at a time
}

// CompatClient is one client of the prototype's report.
type CompatClient struct {
	IP          []byte  // the raw text of client_ip, valid until room is used again
	Total       uint64  // records
	Mean        float64 // of retry_interval_ms, 0 without any
	HasJitter   bool
	RateLimited bool
	Risk        string // LOW, MEDIUM, HIGH or CRITICAL
}

// AppendJSON appends the whole report as the next value.
func (c *Compat) AppendJSON(b []byte) []byte {
	for i := range c.Pieces() {
		b = c.AppendPiece(b, i)
	}
	return b
}

// perPiece is how many clients a piece of the JSON holds.
const perPiece = 4096

// Pieces is into how many pieces the JSON is cut, so that a long report can be written without being held.
func (c *Compat) Pieces() int { return 1 + max(0, c.Clients-1)/perPiece }

// AppendPiece appends piece i, counted from 0; the pieces in order are the whole report.
func (c *Compat) AppendPiece(b []byte, i int) []byte {
	if i == 0 {
		b = jsonwrite.Object(b)
		b = jsonwrite.Time(jsonwrite.Key(b, "evaluated_at"), c.EvaluatedAt, 0)
		b = jsonwrite.Int(jsonwrite.Key(b, "threshold_requests_per_min"), c.Threshold)
		b = jsonwrite.Array(jsonwrite.Key(b, "analyzed_clients"))
	}
	to := min(c.Clients, (i+1)*perPiece)
	b = slices.Grow(b, 160*(to-i*perPiece))
	room := make([]byte, 0, 64)
	for k := i * perPiece; k < to; k++ {
		if k > 0 {
			b = append(b, ',')
		}
		client := c.Client(k, room[:0])
		b = client.append(b)
		room = client.IP
	}
	if i == c.Pieces()-1 {
		b = jsonwrite.End(jsonwrite.End(b, ']'), '}')
	}
	return b
}

// append is spelled out, as jsonwrite would have it: where there are many clients, this is most of what the report costs.
func (c *CompatClient) append(b []byte) []byte {
	b = jsonwrite.Bytes(append(b, `{"client_ip":`...), c.IP)
	b = jsonwrite.Uint(append(b, `,"total_requests":`...), c.Total)
	b = jsonwrite.Fixed(append(b, `,"avg_retry_interval_ms":`...), c.Mean, 2)
	b = jsonwrite.Bool(append(b, `,"has_jitter":`...), c.HasJitter)
	b = jsonwrite.Bool(append(b, `,"is_rate_limited":`...), c.RateLimited)
	return append(append(append(b, `,"risk_level":"`...), c.Risk...), `"}`...)
}
