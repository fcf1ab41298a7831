package abi

import (
	"github.com/stormlint/stormlint/core/analyze"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/report"
)

// head collects the beginning of an input until a plan can be made of it.
type head struct {
	session *Session
	asked   part
	text    []byte
}

// more adds a chunk and says whether a plan can be made.
func (h *head) more(chunk []byte) (plan *connlog.Plan, err error) {
	before := len(h.text)
	h.text = append(h.text, chunk...)
	if before < firstHead && len(h.text) >= firstHead {
		plan, err := connlog.Sniff(h.session.catalogue(), h.text[:firstHead], h.asked.logs.read)
		if err != nil || settled(plan) {
			return plan, err
		}
	}
	if len(h.text) < HeadSize {
		return nil, nil
	}
	return h.session.plan(h.asked.logs, h.text)
}

// analyzing is the stream "analyze": feed a log, take its state or finish with the report.
type analyzing struct {
	head
	analyzer *analyze.Analyzer // nil until there is a plan
	worst    finding.Severity  // of the finished report
	found    bool
	report   *report.Report // after finish
}

func openAnalyze(s *Session, request []byte) (task, error) {
	asked, err := parsePart(request)
	if err != nil {
		return nil, err
	}
	a := &analyzing{head: head{session: s, asked: asked}}
	if asked.plan != nil {
		return a, a.begin(asked.plan)
	}
	// The options are refused now, not after the first megabyte.
	_, err = analyze.New(asked.logs.count, &connlog.Plan{}, s.catalogue(), asked.part)
	return a, err
}

// begin makes the analyzer and gives it what was collected.
func (a *analyzing) begin(plan *connlog.Plan) error {
	var err error
	if a.analyzer, err = analyze.New(a.asked.logs.count, plan, a.session.catalogue(), a.asked.part); err != nil {
		return err
	}
	text := a.text
	a.text = nil
	if len(text) == 0 {
		return nil
	}
	return a.analyzer.Feed(text)
}

// ready begins with what there is.
func (a *analyzing) ready() error {
	if a.analyzer != nil {
		return nil
	}
	plan, err := a.session.plan(a.asked.logs, a.text)
	if err != nil {
		return err
	}
	return a.begin(plan)
}

func (a *analyzing) feed(chunk []byte) ([]byte, error) {
	if a.analyzer != nil {
		return nil, a.analyzer.Feed(chunk)
	}
	plan, err := a.more(chunk)
	if err != nil || plan == nil {
		return nil, err
	}
	return nil, a.begin(plan)
}

func (a *analyzing) state() ([]byte, error) {
	if err := a.ready(); err != nil {
		return nil, err
	}
	return a.analyzer.State()
}

func (a *analyzing) merge(state []byte) error {
	if err := a.ready(); err != nil {
		return err
	}
	return a.analyzer.Merge(state)
}

func (a *analyzing) absorb(b *analyzing) error {
	if err := a.ready(); err != nil {
		return err
	}
	if err := b.ready(); err != nil {
		return err
	}
	return a.analyzer.Absorb(b.analyzer)
}

func (a *analyzing) beginPart(request []byte) error {
	asked, err := parsePart(request)
	if err != nil {
		return err
	}
	if err := a.ready(); err != nil {
		return err
	}
	if asked.plan == nil {
		return &fault.Error{Code: fault.BadUsage, Package: "abi", Message: "a further part needs a plan"}
	}
	return a.analyzer.Begin(asked.plan, a.session.catalogue(), asked.part)
}

func (a *analyzing) progress() (records int64, between bool) {
	if a.analyzer == nil {
		return 0, false
	}
	return a.analyzer.Progress()
}

func (a *analyzing) step(budget int) ([]byte, bool, error) {
	if err := a.ready(); err != nil {
		return nil, false, err
	}
	again, err := a.analyzer.Step(budget)
	return nil, again, err
}

func (a *analyzing) finish() ([]byte, error) {
	if err := a.ready(); err != nil {
		return nil, err
	}
	r, err := a.analyzer.Finish()
	if err != nil {
		return nil, err
	}
	a.keep(r)
	return a.asked.logs.write(r), nil
}

// keep holds a finished report for the questions to come.
func (a *analyzing) keep(r *report.Report) {
	a.report, a.found, a.worst = r, len(r.Findings) > 0, 0
	for i := range r.Findings {
		a.worst = max(a.worst, r.Findings[i].Severity)
	}
}

const judgingKeys = "top, all, threshold, capacity, budget, protocol, include, mark"

// again judges the finished reading by other options; those that decide what is read cannot be among them.
func (a *analyzing) again(object []byte) error {
	err := jsonscan.Object(object, func(key, _ []byte) error {
		switch string(key) {
		case "top", "all", "threshold", "capacity", "budget", "protocol", "include", "mark":
			return nil
		}
		return jsonscan.Unknown("abi", key, judgingKeys)
	})
	if err != nil {
		return err
	}
	asked, err := parseLogs(object)
	if err != nil {
		return err
	}
	if asked.count.Tiers != a.asked.logs.count.Tiers {
		return fault.Value("abi", "include", "tiers, or its lack", "what the log was read with: it decides which events there are")
	}
	if err := a.analyzer.Again(asked.count); err != nil {
		return err
	}
	r, err := a.analyzer.Finish()
	if err == nil {
		a.keep(r)
	}
	return err
}

func (a *analyzing) ask(q Question, request []byte) ([]byte, error) {
	switch q {
	case Page:
		return a.page(request)
	case Series:
		return a.series(request)
	default:
		return a.client(request)
	}
}

// page takes {"sort","ascending","filter","offset","n"} and answers {"total","worst","clients":[…]}; worst is the gravest
// severity of the whole report, null where nothing was found. With "output" it answers the finished report itself in that
// form, in which "show_addresses" and "command" mean what they mean to the stream. With "options", which are those of
// judging (judgingKeys), what was read is judged anew by them and nothing else; that report is answered, as JSON where no
// "output" is named, and later questions are about it.
func (a *analyzing) page(request []byte) ([]byte, error) {
	var q analyze.Query
	form := form{}
	var judging []byte
	err := jsonscan.Object(request, func(key, value []byte) error {
		if string(key) == "options" {
			judging = value
			return nil
		}
		into := map[string]any{"sort": &q.Sort.By, "ascending": &q.Sort.Ascending, "filter": &q.Filter, "offset": &q.Offset, "n": &q.N}[string(key)]
		if into != nil {
			return jsonscan.Read("abi", string(key), value, into)
		}
		if known, err := form.field(key, value); known {
			return err
		}
		return jsonscan.Unknown("abi", key, "sort, ascending, filter, offset, n, output, show_addresses, command, options")
	})
	if err == nil && judging != nil {
		err = a.again(judging)
	}
	switch {
	case err != nil:
		return nil, err
	case form.output != "" || judging != nil:
		return (&logs{form: form}).write(a.report), nil
	}
	rows, total, err := a.analyzer.Page(q)
	if err != nil {
		return nil, err
	}
	b := jsonwrite.Object(nil)
	b = jsonwrite.Int(jsonwrite.Key(b, "total"), int64(total))
	b = jsonwrite.Key(b, "worst")
	if a.found {
		b = jsonwrite.String(b, a.worst.String())
	} else {
		b = jsonwrite.Null(b)
	}
	b = report.AppendClients(jsonwrite.Key(b, "clients"), rows)
	return jsonwrite.End(b, '}'), nil
}

// series takes {"from","to","bin_ms"} and answers an arrivals object.
func (a *analyzing) series(request []byte) ([]byte, error) {
	var from, to int64
	var bin float64
	err := jsonscan.Object(request, func(key, value []byte) error {
		switch string(key) {
		case "from":
			return instant("from", value, &from)
		case "to":
			return instant("to", value, &to)
		case "bin_ms":
			return jsonscan.Read("abi", "bin_ms", value, &bin)
		}
		return jsonscan.Unknown("abi", key, "from, to, bin_ms")
	})
	if err != nil {
		return nil, err
	}
	s, err := a.analyzer.Series(from, to, int64(min(max(bin, 0), 1e12)*1e6))
	if err != nil {
		return nil, err
	}
	return s.AppendJSON(nil), nil
}

// client takes {"key"} and answers that client's row.
func (a *analyzing) client(request []byte) ([]byte, error) {
	var key string
	if err := fields(request, "key", map[string]any{"key": &key}); err != nil {
		return nil, err
	}
	c, err := a.analyzer.Client(key)
	if err != nil {
		return nil, err
	}
	return c.AppendJSON(nil), nil
}

// fields reads an object of plain values.
func fields(object []byte, known string, into map[string]any) error {
	return jsonscan.Object(object, func(key, value []byte) error {
		if into[string(key)] == nil {
			return jsonscan.Unknown("abi", key, known)
		}
		return jsonscan.Read("abi", string(key), value, into[string(key)])
	})
}
