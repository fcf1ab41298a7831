package format

import (
	"bytes"
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Explanation says how an input is read and why: the plan, what was decided, and the first records with the reading each
// of them got.
type Explanation struct {
	Wrappers []string // layers that are peeled off, outermost first
	Formats  []Choice // the best first
	Unknown  bool     // no format knows any of the records: Formats is the base form only because something must be
	Paths    []string // paths learned from successes, as shapes
	Records  []Reading
}

// Choice is one format of a plan and how many of the records it knows.
type Choice struct {
	Name, Title, Layout string
	Why                 string // how many of the first records it knows, and what came next
	Traits              connlog.Traits
}

// Reading is one record and what came of it.
type Reading struct {
	Record int64          // from 0
	Sample string         // cut and masked
	Reason connlog.Reason // connlog.Used if there are events
	Events []Told
}

// Told is one event, field by field.
type Told struct {
	Kind   string
	Fields []Field
}

// Field is one field of an event: its name, its value for people, and where it came from, if that is not plain.
type Field struct{ Name, Value, Note string }

// Explain sniffs the head of an input and reads its first n records.
func Explain(c connlog.Catalogue, head []byte, o connlog.Options, n int) (*Explanation, error) {
	p, err := connlog.Sniff(c, head, o)
	if err != nil {
		return nil, err
	}
	records, err := split(p, c, head, n)
	if err != nil {
		return nil, err
	}
	p.Framing = connlog.Lines
	r, err := connlog.NewReader(p, c, 0)
	if err != nil {
		return nil, err
	}
	traits, err := p.Traits(c)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Wrappers: p.Wrappers, Paths: p.Learned}
	inner, err := bare(p, c, records)
	if err != nil {
		return nil, err
	}
	for i, f := range p.Formats {
		reason, known := why(c, p, i, o, inner)
		x.Formats = append(x.Formats, Choice{Name: f.Name, Title: traits[i].Title, Layout: f.Layout, Traits: traits[i], Why: reason})
		x.Unknown = i == 0 && !known
	}
	var b connlog.Batch
	cut := false
	for i, rec := range records {
		before := r.Counts
		before.Skipped = append([]connlog.Skip(nil), r.Counts.Skipped...)
		one := Reading{Record: int64(i)}
		r.Feed(append(append([]byte(nil), rec...), '\n'), i == len(records)-1)
		for r.Next(&b) {
			for j := range b.Events {
				one.Events = append(one.Events, tell(&b, &b.Events[j]))
			}
		}
		one.Reason = became(&before, &r.Counts)
		// The rest of a record that was cut may begin in the middle of a query: nothing of it is known to be no secret.
		cut = cut || one.Reason == goesOn
		if one.Sample = connlog.Sample(rec); one.Reason == connlog.Used && !cut {
			one.Sample = sample(rec)
		}
		x.Records = append(x.Records, one)
	}
	return x, nil
}

// bare gives the first records without their wrappers.
func bare(p *connlog.Plan, c connlog.Catalogue, records [][]byte) (inner [][]byte, err error) {
	see := &witness{}
	q := *p
	q.Formats = []connlog.Chosen{{Name: see.Name()}}
	r, err := connlog.NewReader(&q, connlog.Catalogue{Formats: []connlog.Format{see}, Wrappers: c.Wrappers}, 0)
	if err != nil {
		return nil, err
	}
	var b connlog.Batch
	for i, rec := range records {
		r.Feed(append(append([]byte(nil), rec...), '\n'), i == len(records)-1)
		for r.Next(&b) {
		}
	}
	return see.records, nil
}

// witness is a format that reads nothing and remembers what it was shown.
type witness struct{ records [][]byte }

func (w *witness) Name() string                                     { return "witness" }
func (w *witness) Match([]byte) int                                 { return 0 }
func (w *witness) Traits() connlog.Traits                           { return connlog.Traits{} }
func (w *witness) Configure(*connlog.Setup) (connlog.Format, error) { return w, nil }
func (w *witness) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	w.records = append(w.records, append([]byte(nil), b.Text(r.Span)...))
	return connlog.Ignored
}

// why says what spoke for the i-th format of a plan.
func why(c connlog.Catalogue, p *connlog.Plan, i int, o connlog.Options, records [][]byte) (reason string, is bool) {
	if o.Format != "" && o.Format != "auto" {
		return "as --format says", true
	}
	score := func(f connlog.Format) (known, sure int) {
		if o.Layout != "" {
			own, err := f.Configure(&connlog.Setup{Layout: o.Layout})
			if err != nil {
				return 0, 0
			}
			f = own
		}
		for _, rec := range records {
			if m := f.Match(rec); m > 0 {
				known++
				sure += m
			}
		}
		return known, sure
	}
	var known, sure, next int
	rival := ""
	for _, f := range append([]connlog.Format{connlog.Base{}}, c.Formats...) {
		k, s := score(f)
		if f.Name() == p.Formats[i].Name {
			known, sure = k, s
		} else if s > next {
			next, rival = s, f.Name()
		}
	}
	if base := (connlog.Base{}).Name(); known == 0 && len(p.Formats) == 1 && p.Formats[0].Name == base {
		return "no format knows any of the records below", false
	}
	text := "it knows " + strconv.Itoa(known) + " of the " + strconv.Itoa(len(records)) + " records below"
	switch {
	case i > 0 || rival == "":
	case next*10 > sure*9:
		text += ", and hardly better than " + rival + ": say --format if that is what wrote the log"
	default:
		text += "; the next best is " + rival
	}
	return text, true
}

// split finds the first n records as the plan frames them, an array's each on one line.
func split(p *connlog.Plan, c connlog.Catalogue, head []byte, n int) ([][]byte, error) {
	see := &witness{}
	q := *p
	q.Formats, q.Wrappers = []connlog.Chosen{{Name: see.Name()}}, nil
	r, err := connlog.NewReader(&q, connlog.Catalogue{Formats: []connlog.Format{see}}, 0)
	if err != nil {
		return nil, err
	}
	var b connlog.Batch
	for len(head) > 0 && len(see.records) < n {
		chunk := head[:min(len(head), 4096)]
		head = head[len(chunk):]
		r.Feed(chunk, len(head) == 0)
		for r.Next(&b) {
		}
	}
	records := see.records[:min(len(see.records), n)]
	for i, rec := range records {
		records[i] = bytes.TrimRight(bytes.ReplaceAll(rec, []byte{'\n'}, []byte{' '}), "\r")
	}
	return records, nil
}

// sample is a record that was read, cut and masked for print.
func sample(rec []byte) string {
	const most = 160
	masked := connlog.Mask(nil, rec[:min(len(rec), 4*most)])
	if len(masked) > most {
		return string(masked[:most]) + "…"
	}
	return string(masked)
}

// became finds the one reason that the counts of two moments differ by.
func became(before, after *connlog.Counts) connlog.Reason {
	if after.Used > before.Used {
		return connlog.Used
	}
	if after.Ignored > before.Ignored {
		return connlog.Ignored
	}
	for _, s := range after.Skipped {
		old := int64(0)
		for _, o := range before.Skipped {
			if o.Reason == s.Reason {
				old = o.Count
			}
		}
		if s.Count > old {
			return s.Reason
		}
	}
	return goesOn
}

// goesOn is said of a line whose record goes on in a later one.
const goesOn connlog.Reason = "part of a record that goes on"

var sources = map[connlog.TimeSource]string{
	connlog.PrintedStart: "as printed", connlog.PrintedEnd: "as printed, the end", connlog.EndMinusDuration: "the printed end less the duration",
	connlog.StartPlusDuration: "the printed start and the duration", connlog.FromWrapper: "when the wrapper wrote it",
}

func tell(b *connlog.Batch, e *connlog.Event) Told {
	t := Told{Kind: e.Kind.String()}
	add := func(name, value, note string) {
		if value != "" {
			t.Fields = append(t.Fields, Field{name, value, note})
		}
	}
	if e.Kind == connlog.Attempt {
		word := e.Outcome.String()
		if word == "" {
			word = "unknown"
		}
		add("outcome", word, "")
	}
	if e.Time != connlog.None {
		note := sources[e.TimeSource]
		if e.Resolution >= civil.Second {
			note += ", to the second"
		}
		add("time", string(civil.AppendRFC3339(nil, e.Time, e.Resolution)), note)
	}
	from := e.ClientSource.String()
	if from == "peer" {
		from = "the peer"
	}
	add("client", string(b.Text(e.Client)), from)
	if e.Port > 0 {
		add("port", strconv.Itoa(int(e.Port)), "")
	}
	add("forwarded", string(b.Text(e.Forwarded)), "believed only with --trusted-proxy")
	add("connection", string(b.Text(e.Conn)), "joins both ends")
	add("path", string(b.Text(e.Path)), "")
	if e.Status > 0 {
		add("status", strconv.Itoa(int(e.Status)), "")
	}
	if e.Duration != connlog.None {
		add("duration", string(jsonwrite.Millis(nil, e.Duration))+" ms", "")
	}
	if e.Interval != connlog.None {
		add("wait", string(jsonwrite.Millis(nil, e.Interval))+" ms", "as the log states it")
	}
	if e.RetryAfter != connlog.None {
		add("retry after", string(jsonwrite.Millis(nil, e.RetryAfter))+" ms", "the server's hint")
	}
	if e.LateBy > 0 {
		add("late by", "up to "+string(jsonwrite.Millis(nil, e.LateBy))+" ms", "the client may have learned of it later")
	}
	if e.CloseCode > 0 {
		add("close code", strconv.Itoa(int(e.CloseCode)), "")
	}
	add("closed by", e.ClosedBy.String(), "")
	add("cause", string(b.Text(e.Cause)), "")
	add("host", string(b.Text(e.Host)), "")
	add("user agent", string(b.Text(e.UserAgent)), "")
	add("group", string(b.Text(e.Group)), "")
	if c := e.Transport.String(); c != "ws" {
		add("transport", c, "")
	}
	if e.Count > 1 {
		add("count", strconv.Itoa(int(e.Count)), "repeats folded into one line")
	}
	return t
}

// AppendJSON appends the explanation.
func (x *Explanation) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Strings(jsonwrite.Key(b, "wrappers"), x.Wrappers)
	b = jsonwrite.Bool(jsonwrite.Key(b, "recognised"), !x.Unknown)
	b = jsonwrite.Array(jsonwrite.Key(b, "formats"))
	for _, f := range x.Formats {
		b = jsonwrite.String(jsonwrite.Key(jsonwrite.Object(b), "name"), f.Name)
		b = jsonwrite.String(jsonwrite.Key(b, "title"), f.Title)
		b = jsonwrite.String(jsonwrite.Key(b, "layout"), f.Layout)
		b = jsonwrite.String(jsonwrite.Key(b, "why"), f.Why)
		b = jsonwrite.End(jsonwrite.Strings(jsonwrite.Key(b, "blind_spots"), f.Traits.BlindSpots()), '}')
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Strings(jsonwrite.Key(b, "learned_paths"), x.Paths)
	b = jsonwrite.Array(jsonwrite.Key(b, "records"))
	for _, r := range x.Records {
		b = jsonwrite.Int(jsonwrite.Key(jsonwrite.Object(b), "record"), r.Record)
		b = jsonwrite.String(jsonwrite.Key(b, "sample"), r.Sample)
		b = jsonwrite.String(jsonwrite.Key(b, "reason"), r.reason())
		b = jsonwrite.Array(jsonwrite.Key(b, "events"))
		for _, e := range r.Events {
			b = jsonwrite.String(jsonwrite.Key(jsonwrite.Object(b), "kind"), e.Kind)
			for _, f := range e.Fields {
				b = jsonwrite.String(jsonwrite.Key(b, f.key()), f.Value)
			}
			b = jsonwrite.End(b, '}')
		}
		b = jsonwrite.End(jsonwrite.End(b, ']'), '}')
	}
	return jsonwrite.End(jsonwrite.End(b, ']'), '}')
}

func (r *Reading) reason() string {
	if r.Reason == connlog.Used {
		return "used"
	}
	return string(r.Reason)
}

func (f *Field) key() string {
	return string(bytes.ReplaceAll([]byte(f.Name), []byte{' '}, []byte{'_'}))
}
