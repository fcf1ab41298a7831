package abi

import (
	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/lapse"
	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/core/stat"
)

// lintRequest is what lint, explain and delays read from their line.
type lintRequest struct {
	policy   string // a SPEC, or the JSON form as text
	runs     []byte
	options  lint.Options
	output   string
	page     render.Options
	rule     string
	n        int64
	seed     uint64
	clients  int64
	attempts bool // clients was given
}

const lintKeys = "policy, runs, clients, capacity, runtime, budget, output, width, color, ascii"

// lintAnswer answers {"policy":SPEC or object} or {"runs":[…]} or delays after the newline, with "clients", "capacity",
// "runtime", "budget", "output" (json, text, github), "width", "color", "ascii": a lint.Result.
func lintAnswer(_ *Session, request []byte) ([]byte, error) {
	line, body := split(request)
	var r lintRequest
	if err := r.read(line, lintKeys); err != nil {
		return nil, err
	}
	if r.attempts && r.clients == 0 {
		return nil, fault.Value("lint", "clients", "0", "between 1 and 1000000000")
	}
	if r.runs == nil && body != nil {
		r.runs = body
	}
	var result *lint.Result
	var err error
	switch {
	case (r.policy == "") == (r.runs == nil):
		return nil, &fault.Error{Code: fault.BadUsage, Package: "lint", Message: "either a policy or delays", Expected: "one of policy, runs"}
	case r.policy != "":
		result, err = lint.Spec(r.policy, r.options)
	default:
		var runs []lint.Runs
		if runs, err = lint.Read(r.runs); err == nil {
			result, err = lint.Observed(runs, r.options)
		}
	}
	if err != nil {
		return nil, err
	}
	switch r.output {
	case "", "json":
		return result.AppendJSON(nil), nil
	case "text":
		return render.LintText(result, r.page), nil
	case "github":
		return render.LintGitHub(result), nil
	}
	return nil, fault.Value("lint", "output", jsonscan.Sample([]byte(r.output)), "one of json, text, github")
}

// explain answers {"rule":ID} with that rule, {} with all of them: as JSON, or as text with "output":"text".
// {"rule":"lib:"} lists the libraries of the catalogue.
func explain(_ *Session, request []byte) ([]byte, error) {
	line, _ := split(request)
	var r lintRequest
	if err := r.read(line, "rule, output, width, color, ascii"); err != nil {
		return nil, err
	}
	rules := finding.Rules()
	switch r.rule {
	case "":
		if r.output == "text" {
			return render.RulesText(rules, r.page), nil
		}
	case "lib:":
		if r.output == "text" {
			return render.LibrariesText(backoff.Libraries(), r.page), nil
		}
		return libraries(nil), nil
	default:
		rule, ok := finding.Lookup(r.rule)
		if w, old := olderWord(r.rule); !ok && old {
			return nil, &fault.Error{Code: fault.NotFound, Package: "lint", Message: "an older word", Value: r.rule, Expected: w}
		}
		if !ok {
			names := ""
			for i, known := range rules {
				if i > 0 {
					names += ", "
				}
				names += known.ID
			}
			return nil, &fault.Error{Code: fault.NotFound, Package: "lint", Message: "unknown rule", Value: jsonscan.Sample([]byte(r.rule)), Expected: "one of " + names}
		}
		if r.output == "text" {
			return render.RuleText(rule, r.page), nil
		}
		rules = []finding.Rule{rule}
	}
	b := jsonwrite.Array(nil)
	for i := range rules {
		b = appendRule(b, &rules[i])
	}
	return jsonwrite.End(b, ']'), nil
}

// olderWord says what a word of older descriptions has become.
func olderWord(word string) (text string, ok bool) {
	for _, w := range finding.Words() {
		if w.Word != word {
			continue
		}
		for i, rule := range w.Rules {
			if i > 0 {
				text += " or "
			}
			text += rule
		}
		if w.Note != "" {
			if text != "" {
				text += ": "
			}
			text += w.Note
		}
		return text, true
	}
	return "", false
}

func appendRule(b []byte, r *finding.Rule) []byte {
	b = jsonwrite.Object(b)
	for _, field := range [...][2]string{{"rule", r.ID}, {"title", r.Title}, {"severity", r.Severity.String()}, {"moves", r.Moves}, {"lesson", r.Lesson}, {"threshold", r.Threshold}, {"fix", r.Fix}} {
		b = jsonwrite.String(jsonwrite.Key(b, field[0]), field[1])
	}
	return jsonwrite.End(b, '}')
}

func libraries(b []byte) []byte {
	b = jsonwrite.Array(b)
	for _, l := range backoff.Libraries() {
		b = jsonwrite.Object(b)
		for _, field := range [...][2]string{{"name", l.Name}, {"ecosystem", l.Ecosystem}, {"version", l.Version}, {"source", l.Source}, {"policy", l.Spec}, {"note", l.Note}} {
			b = jsonwrite.String(jsonwrite.Key(b, field[0]), field[1])
		}
		b = jsonwrite.End(b, '}')
	}
	return jsonwrite.End(b, ']')
}

// delays answers {"policy","n","seed"} with the first n waits of a client in ms after refused attempts, fewer when the
// policy gives up; with "clients" as an array of runs, a client each, from the same seed.
func delays(_ *Session, request []byte) ([]byte, error) {
	line, _ := split(request)
	r := lintRequest{n: 8, seed: 1, clients: 1}
	if err := r.read(line, "policy, n, seed, clients"); err != nil {
		return nil, err
	}
	p, err := backoff.Parse(r.policy)
	if err != nil {
		return nil, err
	}
	const most = 1_000_000
	if r.n < 1 || r.n > most {
		return nil, fault.Value("delays", "n", string(jsonwrite.Int(nil, r.n)), "between 1 and 1000000")
	}
	if r.clients < 1 || r.clients > most/r.n {
		return nil, fault.Value("delays", "clients", string(jsonwrite.Int(nil, r.clients)), "at least 1, and at most 1000000 waits in all")
	}
	schedule, err := p.Compile()
	if err != nil {
		return nil, err
	}
	b := jsonwrite.Array(nil)
	for c := range uint64(r.clients) {
		if r.attempts {
			b = jsonwrite.Array(b)
		}
		previous := lapse.Duration(0)
		for k := 1; k <= int(r.n); k++ {
			d, ok := schedule.Delay(backoff.State{Attempt: k, Previous: previous, Outcome: backoff.Refused}, stat.Draw(r.seed, c, schedule.DrawAttempt(k)))
			if !ok {
				break
			}
			previous = d
			b = jsonwrite.Millis(b, int64(d))
		}
		if r.attempts {
			b = jsonwrite.End(b, ']')
		}
	}
	return jsonwrite.End(b, ']'), nil
}

func (r *lintRequest) read(line []byte, known string) error {
	if len(line) == 0 {
		return nil
	}
	return jsonscan.Object(line, func(key, value []byte) error {
		if !listed(known, string(key)) {
			return jsonscan.Unknown("lint", key, known)
		}
		name := string(key)
		get := func(into any) error { return jsonscan.Read("lint", name, value, into) }
		switch name {
		case "policy":
			if jsonscan.KindOf(value) == jsonscan.Map {
				r.policy = string(value)
				return nil
			}
			return get(&r.policy)
		case "runs":
			if jsonscan.KindOf(value) != jsonscan.Null {
				r.runs = value
			}
			return nil
		case "clients":
			r.attempts = true
			if err := get(&r.clients); err != nil {
				return err
			}
			r.options.Clients = r.clients
			return nil
		case "capacity":
			if err := get(&r.options.Capacity); err != nil || r.options.Capacity != 0 || jsonscan.KindOf(value) == jsonscan.Null {
				return err
			}
			return fault.Value("lint", "capacity", "0", "above 0 and at most 1000000000 handshakes a second")
		case "runtime":
			return get(&r.options.Runtime)
		case "budget":
			return get(&r.options.Budget)
		case "output":
			return get(&r.output)
		case "width":
			return get(&r.page.Width)
		case "color":
			return get(&r.page.Color)
		case "ascii":
			return get(&r.page.ASCII)
		case "rule":
			return get(&r.rule)
		case "n":
			return get(&r.n)
		case "seed":
			return get(&r.seed)
		}
		return nil
	})
}

// listed reports whether a word is one of a list with commas.
func listed(list, word string) bool {
	for len(list) > 0 {
		next := list
		for i := range list {
			if list[i] == ',' {
				next = list[:i]
				break
			}
		}
		if next == word {
			return true
		}
		list = list[min(len(list), len(next)+2):]
	}
	return false
}
