package main

import (
	"io"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/host/source"
)

type formatsVerb struct {
	List    formatsList    `cmd:"" default:"withargs" help:"List the formats and wrappers that are read."`
	Explain formatsExplain `cmd:"" help:"Show how the first records of a log are read, field by field, and why."`
}

type formatsList struct {
	Output string `short:"o" enum:"text,json" default:"text" help:"Form of the answer: text or json."`
}

// Run prints the list.
func (v *formatsList) Run(e *env) error {
	return e.answer("formats", map[string]any{"output": v.Output}, nil)
}

type formatsExplain struct {
	File string `arg:"" optional:"" default:"-" name:"FILE" help:"A log, plain or compressed; - is standard input."`

	reading

	Records int    `short:"n" default:"10" placeholder:"N" help:"How many records to show."`
	Output  string `short:"o" enum:"text,json" default:"text" help:"Form of the answer: text or json."`
}

// Help is printed below the flags.
func (formatsExplain) Help() string {
	return `Shows for the first records which reading they get: which wrapper was peeled, which format was recognised, what each
field was taken for, and what such a log cannot tell.

  stormlint formats explain access.log
  kubectl logs deploy/gw | stormlint formats explain
  stormlint formats explain --log-format '$remote_addr [$time_local] "$request" $status $request_time' access.log`
}

// Run reads the head of the file and prints how it is read.
func (v *formatsExplain) Run(e *env) error {
	if v.File == "-" && (e.stdin == nil || terminal(e.stdin)) {
		return &fault.Error{Code: fault.BadUsage, Message: "no FILE and nothing on standard input", Expected: "a log to explain"}
	}
	list, err := source.Resolve([]string{v.File}, e.stdin)
	if err != nil {
		return err
	}
	r, err := patient(e, list[0])
	if err != nil {
		return err
	}
	defer r.Close()
	const most = 1 << 20
	head, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil && len(head) == 0 {
		return err
	}
	if blank(head) {
		return engine.Nothing(list[0].Name, "a log to explain")
	}
	options, err := v.reading.options()
	if err != nil {
		return err
	}
	return e.answer("readings", map[string]any{"output": v.Output, "n": v.Records, "options": options}, head)
}

// answer calls an operation and prints what it answers.
func (e *env) answer(op string, request map[string]any, body []byte) error {
	if e.color {
		request["color"] = true
	}
	if e.width > 0 {
		request["width"] = e.width
	}
	line, err := encode(request)
	if err != nil {
		return err
	}
	if body != nil {
		line = append(append(line, '\n'), body...)
	}
	answer, err := e.engine.Call(e.ctx, op, line)
	if err != nil {
		return err
	}
	e.stdout.Write(answer)
	if request["output"] == "json" {
		e.stdout.WriteByte('\n')
	}
	return nil
}
