package analyze

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// row is what is held of every client for sorting; the rest is worked out again for those that are shown.
type row struct {
	first                                        int64
	client                                       uint32
	attempts, peak, refused, sessions, closes, n uint32
	risk                                         uint8
	beyond                                       bool
}

func newRow(i int, c *report.Client) row {
	return row{
		first: c.First, client: uint32(i),
		attempts: small(c.Attempts), peak: small(c.PeakPerMin), refused: small(c.Refused), sessions: small(c.Sessions), closes: small(c.Closes), n: small(c.Delays.N),
		risk: uint8(c.Risk), beyond: c.Beyond > 0,
	}
}

// small keeps a count in 32 bits; more counts as most.
func small(n int64) uint32 { return uint32(min(max(n, 0), 1<<32-1)) }

// Sort is an order of clients. The zero Sort is by risk, gravest first, and within a level by attempts.
type Sort struct {
	By        string // risk, attempts, peak, refused, sessions, closes, delays, first, client; "" is risk
	Ascending bool   // "first" and "client" ascend unless this is set, the others descend unless it is
}

var sortWords = []string{"risk", "attempts", "peak", "refused", "sessions", "closes", "delays", "first", "client"}

func (s Sort) validate() error {
	if s.By != "" && !slices.Contains(sortWords, s.By) {
		return fault.Value("analyze", "sort", strconv.Quote(cut(s.By)), "one of "+strings.Join(sortWords, ", "))
	}
	return nil
}

// order sorts the rows; equal ones stand in the order of their keys, so every order is total.
func (a *Analyzer) order(s Sort) {
	f := a.finished
	key := func(r *row) []byte {
		k, _ := a.table.Key(int(r.client))
		return k
	}
	number := func(r *row) uint32 {
		switch s.By {
		case "peak":
			return r.peak
		case "refused":
			return r.refused
		case "sessions":
			return r.sessions
		case "closes":
			return r.closes
		case "delays":
			return r.n
		}
		return r.attempts
	}
	slices.SortFunc(f.rows, func(x, y row) int {
		var c int
		switch s.By {
		case "client":
		case "first":
			c = cmp.Compare(x.first, y.first)
		case "", "risk":
			c = cmp.Or(-cmp.Compare(x.risk, y.risk), -cmp.Compare(x.attempts, y.attempts))
		default:
			c = -cmp.Compare(number(&x), number(&y))
		}
		c = cmp.Or(c, bytes.Compare(key(&x), key(&y)))
		if s.Ascending {
			return -c
		}
		return c
	})
	f.sort = s
}

// Query asks for a page of clients.
type Query struct {
	Sort   Sort
	Filter string // only clients in whose key or user agents this text occurs; "" for all
	Offset int    // of the clients that pass the filter, from 0
	N      int    // at most; 0 is 100
}

// Page gives some of the clients after Finish, and how many there are that pass the filter.
func (a *Analyzer) Page(q Query) (rows []report.Client, total int, err error) {
	if err := a.asked(); err != nil {
		return nil, 0, err
	}
	if err := q.Sort.validate(); err != nil {
		return nil, 0, err
	}
	if q.Offset < 0 || q.N < 0 {
		return nil, 0, fault.Value("analyze", "offset and n", strconv.Itoa(q.Offset)+", "+strconv.Itoa(q.N), "numbers from 0")
	}
	n := q.N
	if n == 0 {
		n = DefaultTop
	}
	f := a.finished
	if f.sort != q.Sort {
		a.order(q.Sort)
	}
	if q.Filter == "" {
		total = len(f.rows)
		for i := q.Offset; i < total && len(rows) < n; i++ {
			rows = append(rows, a.client(int(f.rows[i].client)))
		}
		return rows, total, nil
	}
	named := a.agentsWith(q.Filter)
	for i := range f.rows {
		if !a.matches(int(f.rows[i].client), q.Filter, named) {
			continue
		}
		if total++; total > q.Offset && len(rows) < n {
			rows = append(rows, a.client(int(f.rows[i].client)))
		}
	}
	return rows, total, nil
}

// agentsWith tells, for each signature, whether the text stands in its user agent; nil where it stands in none.
func (a *Analyzer) agentsWith(text string) []bool {
	var list []bool
	for i := range a.table.Signatures() {
		if strings.Contains(a.table.Text(a.table.Signature(&timeline.Moment{Signature: uint32(i)}).UserAgent), text) {
			if list == nil {
				list = make([]bool, a.table.Signatures())
			}
			list[i] = true
		}
	}
	return list
}

// matches looks for the text in a client's key and, with the other keys, in its user agents. Of a million clients nobody's
// history is looked at in vain.
func (a *Analyzer) matches(client int, text string, named []bool) bool {
	key, _ := a.table.Key(client)
	if bytes.Contains(key, []byte(text)) {
		return true
	}
	if named == nil {
		return false
	}
	h := a.finished.shares[0]
	h.read(client)
	if slices.ContainsFunc(h.history, func(m timeline.Moment) bool { return named[m.Signature] }) {
		return true
	}
	found := false
	a.table.Beyond(client, func(s *timeline.Signature, _ int64) {
		found = found || strings.Contains(a.table.Text(s.UserAgent), text)
	})
	return found
}

// Client gives the row of one key after Finish.
func (a *Analyzer) Client(key string) (*report.Client, error) {
	if err := a.asked(); err != nil {
		return nil, err
	}
	i, ok := a.table.Find([]byte(key))
	if ok {
		_, ok = a.table.Key(i)
	}
	if !ok {
		return nil, &fault.Error{Code: fault.NotFound, Package: "analyze", Field: "client", Value: strconv.Quote(cut(key)), Expected: "the key of a row"}
	}
	c := a.client(i)
	return &c, nil
}

func (a *Analyzer) asked() error {
	if a.finished == nil || a.finished.work != nil {
		return &fault.Error{Code: fault.BadUsage, Package: "analyze", Message: "clients are asked for after finish"}
	}
	return nil
}
