package report

import "github.com/stormlint/stormlint/core/jsonwrite"

// Compat is the report of the original prototype, field for field. Its clients are asked for one by one, so that a
// million of them need no second copy.
type Compat struct {
	EvaluatedAt int64 // ns since 1970 UTC: when the report was made, as the caller says
	Threshold   int64 // requests from which a client counts as rate limited
	Clients     int   // how many clients there are
	Client      func(i int) CompatClient
}

// CompatClient is one client of the prototype's report.
type CompatClient struct {
	IP          []byte  // the raw text of client_ip, valid until the next client is asked for
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
	for k := i * perPiece; k < min(c.Clients, (i+1)*perPiece); k++ {
		if k > 0 && k == i*perPiece {
			b = append(b, ',') // where jsonwrite sets none, b having no byte before
		}
		b = c.append(b, k)
	}
	if i == c.Pieces()-1 {
		b = jsonwrite.End(jsonwrite.End(b, ']'), '}')
	}
	return b
}

func (c *Compat) append(b []byte, k int) []byte {
	client := c.Client(k)
	b = jsonwrite.Object(b)
	b = jsonwrite.Bytes(jsonwrite.Key(b, "client_ip"), client.IP)
	b = jsonwrite.Uint(jsonwrite.Key(b, "total_requests"), client.Total)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "avg_retry_interval_ms"), client.Mean, 2)
	b = jsonwrite.Bool(jsonwrite.Key(b, "has_jitter"), client.HasJitter)
	b = jsonwrite.Bool(jsonwrite.Key(b, "is_rate_limited"), client.RateLimited)
	b = jsonwrite.String(jsonwrite.Key(b, "risk_level"), client.Risk)
	return jsonwrite.End(b, '}')
}
