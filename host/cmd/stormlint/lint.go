package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/finding"
)

type lintVerb struct {
	Policy    string   `short:"p" placeholder:"SPEC" help:"The schedule: full:1s:30s, prop:1s:120s:1.6:0.2,attempts=10, window:25s, a JSON object, or a real library's as lib:socket.io-client."`
	Delays    string   `placeholder:"FILE" help:"Delays in ms that a client was seen to wait: a JSON array of runs, CSV with a run a line, or {scenario, runs}; - is standard input."`
	Clients   *int64   `placeholder:"N" help:"How many clients fall together."`
	Capacity  *float64 `placeholder:"C" help:"Handshakes a second that the server can do."`
	Runtime   string   `enum:",js,go,java,python,rust" default:"" placeholder:"NAME" help:"Whose timers wait (js, go, java, python, rust); js, or that of the library."`
	Budget    string   `placeholder:"N/day" help:"Attempts that a client may make in a day, such as 1000/day."`
	Output    string   `short:"o" enum:"text,json,github" default:"text" help:"Form of the answer: text, json or github (annotations of a workflow)."`
	FailOn    string   `enum:"info,low,medium,high,critical,off" default:"high" placeholder:"LEVEL" help:"Exit 1 from this severity on (info, low, medium, high, critical, off; ${default})."`
	Explain   *string  `placeholder:"RULE" help:"Explain a rule; --explain=all lists them."`
	Libraries bool     `help:"List the real libraries that lib: knows."`
	File      []string `arg:"" optional:"" name:"FILE" help:"Nothing is read from here: --delays names a file, --policy a schedule."`
}

// Help is printed below the flags.
func (lintVerb) Help() string {
	return `A schedule is good when clients that lose their connection together do not come back together.

  stormlint lint --policy full:1s:30s
  stormlint lint --policy lib:socket.io-client
  stormlint lint --policy window:31s --clients 50000 --capacity 2000
  stormlint lint --delays delays.json -o github
  stormlint lint --explain growth-locked`
}

func (v *lintVerb) Run(e *env) error {
	page := map[string]any{"output": v.Output}
	if e.color {
		page["color"] = true
	}
	switch {
	case v.Explain != nil:
		if *v.Explain != "all" {
			page["rule"] = *v.Explain
		}
		return v.print(e, "explain", page, nil)
	case v.Libraries:
		page["rule"] = "lib:"
		return v.print(e, "explain", page, nil)
	case len(v.File) > 0:
		return usage("lint", v.File[0], "--delays "+v.File[0]+" for a file, --policy for a SPEC")
	case v.Policy == "" && v.Delays == "":
		return &fault.Error{Code: fault.BadUsage, Message: "nothing to lint", Expected: "--policy SPEC, or --delays FILE (- for standard input)"}
	case v.Policy != "" && v.Delays != "":
		return usage("--delays", v.Delays, "either --policy or --delays")
	}
	request := page
	if v.Policy != "" {
		request["policy"] = v.Policy
	}
	if v.Clients != nil {
		request["clients"] = *v.Clients
	}
	if v.Capacity != nil {
		request["capacity"] = *v.Capacity
	}
	if v.Runtime != "" {
		request["runtime"] = v.Runtime
	}
	if v.Budget != "" {
		n, err := perDay(v.Budget)
		if err != nil {
			return err
		}
		request["budget"] = n
	}
	var body []byte
	if v.Delays != "" {
		var err error
		if body, err = readAll(e, v.Delays); err != nil {
			return err
		}
	}
	if err := v.print(e, "lint", request, body); err != nil {
		return err
	}
	if v.FailOn == "off" {
		return nil
	}
	limit, _ := finding.ParseSeverity(v.FailOn)
	request["output"] = "json"
	answer, err := v.call(e, "lint", request, body)
	if err != nil {
		return err
	}
	var result struct {
		Findings []struct {
			Severity string `json:"severity"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return err
	}
	for _, f := range result.Findings {
		if s, _ := finding.ParseSeverity(f.Severity); s >= limit {
			return failed
		}
	}
	return nil
}

func (v *lintVerb) call(e *env, op string, request map[string]any, body []byte) ([]byte, error) {
	line, err := encode(request)
	if err != nil {
		return nil, err
	}
	if body != nil {
		line = append(append(line, '\n'), body...)
	}
	answer, err := e.engine.Call(e.ctx, op, line)
	var f *fault.Error
	if errors.As(err, &f) && body != nil && f.Source == "" {
		f.Source = v.Delays
	}
	return answer, err
}

func (v *lintVerb) print(e *env, op string, request map[string]any, body []byte) error {
	answer, err := v.call(e, op, request, body)
	if err != nil {
		return err
	}
	e.stdout.Write(answer)
	if v.Output == "json" {
		e.stdout.WriteByte('\n')
	}
	return nil
}

// perDay reads "1000/day", or a bare number of attempts a day.
func perDay(text string) (int64, error) {
	var n int64
	if _, err := fmt.Sscanf(strings.TrimSuffix(text, "/day"), "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != strings.TrimSuffix(text, "/day") {
		return 0, usage("--budget", text, "attempts a day, such as 1000/day")
	}
	return n, nil
}
