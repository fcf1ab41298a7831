package lint

import (
	"strings"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/finding"
)

// Spec lints a policy in its written form: a SPEC, a JSON object, or lib:NAME, which brings its language's runtime.
func Spec(text string, o Options) (*Result, error) {
	p, err := backoff.Parse(text)
	if err != nil {
		return nil, err
	}
	subject := p.String()
	if name, ok := strings.CutPrefix(strings.TrimSpace(text), "lib:"); ok {
		subject = "lib:" + name
		if o.Runtime == "" {
			o.Runtime = runtimeOf(name)
		}
	}
	return Policy(p, subject, o)
}

// runtimeOf is the runtime of a library of the catalogue.
func runtimeOf(name string) string {
	name, _, _ = strings.Cut(name, ",")
	for _, l := range backoff.Libraries() {
		if name == l.Name || strings.HasPrefix(name, l.Name+"@") {
			return map[string]string{"Go": "go", "JVM": "java", "Python": "python", "Rust": "rust"}[l.Ecosystem]
		}
	}
	return ""
}

// Policy lints a policy; subject is what the findings call it, "" for its SPEC.
func Policy(p backoff.Policy, subject string, o Options) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if subject == "" {
		subject = p.String()
	}
	j := judge{e: ofPolicy(&p), p: &p, o: &o, subject: subject}
	j.schedule()
	if p.Reset == backoff.ResetOpen {
		j.add("early-reset", finding.High, "a server that accepts and then drops is hit every "+span(j.e.first().Mean)+" by each client", millis("first_ms", j.e.first().Mean))
	}
	finding.Sort(j.list)
	r := &Result{Policy: p.String(), Subject: subject, Findings: j.list, Envelope: j.e.steps, Clients: o.Clients, Capacity: o.Capacity}
	r.Arrivals = arrivals(&p)
	return r, nil
}
