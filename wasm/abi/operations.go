package abi

import (
	"bytes"

	"github.com/stormlint/stormlint/core/fault"
)

// operation answers one request at once. The request's bytes are the caller's: keep none of them.
type operation struct {
	name   string
	answer func(s *Session, request []byte) ([]byte, error)
}

// stream opens a task that is fed, stepped and asked.
type stream struct {
	name string
	open func(s *Session, request []byte) (task, error)
}

// operations and streams are the whole table, in the order of their names: an operation is one line here and one file
// op_NAME.go, a stream one line and one file stream_NAME.go. They are functions because version lists them.
func operations() []operation {
	return []operation{
		{"boundary", boundary},
		{"delays", delays},
		{"explain", explain},
		{"formats", formats},
		{"lint", lintAnswer},
		{"plan", planned},
		{"readings", readings},
		{"recommend", atOnce(openRecommend)},
		{"simulate", atOnce(openSimulate)},
		{"sniff", sniff},
		{"version", version},
	}
}

func streams() []stream {
	return []stream{
		{"analyze", openAnalyze},
		{"compat", openCompat},
		{"events", openEvents},
		{"recommend", openRecommend},
		{"records", openRecords},
		{"simulate", openSimulate},
	}
}

// task is what stands behind a handle. A kind of stream embeds refusal and overrides what it can do.
type task interface {
	feed(chunk []byte) ([]byte, error)
	state() ([]byte, error)
	merge(state []byte) error
	progress() (records int64, between bool)
	beginPart(request []byte) error
	step(budget int) (answer []byte, again bool, err error)
	finish() ([]byte, error)
	ask(question Question, request []byte) ([]byte, error)
}

// Question is what a stream can be asked after Finish.
type Question string

// The three questions.
const (
	Page   Question = "page"   // more clients than the summary holds
	Series Question = "series" // arrivals in finer bins
	Client Question = "client" // one client in full
)

// refusal answers everything with a fault of code unsupported.
type refusal struct{ kind string }

func (r refusal) no(what string) error {
	return &fault.Error{Code: fault.Unsupported, Package: "abi", Message: "a stream of kind " + r.kind + " has no " + what}
}

func (r refusal) feed([]byte) ([]byte, error)              { return nil, r.no("feed") }
func (r refusal) state() ([]byte, error)                   { return nil, r.no("state") }
func (r refusal) merge([]byte) error                       { return r.no("merge") }
func (r refusal) beginPart([]byte) error                   { return r.no("parts") }
func (r refusal) progress() (int64, bool)                  { return 0, false }
func (r refusal) step(int) ([]byte, bool, error)           { return nil, false, nil }
func (r refusal) finish() ([]byte, error)                  { return nil, r.no("finish") }
func (r refusal) ask(q Question, _ []byte) ([]byte, error) { return nil, r.no(string(q)) }

// split parts a request into its JSON line and the bytes after it.
func split(request []byte) (line, body []byte) {
	line, body, _ = bytes.Cut(request, []byte{'\n'})
	return line, body
}

// Operations lists the names that Call knows, sorted.
func Operations() []string {
	var names []string
	for _, o := range operations() {
		names = append(names, o.name)
	}
	return names
}

// Streams lists the names that Open knows, sorted.
func Streams() []string {
	var names []string
	for _, s := range streams() {
		names = append(names, s.name)
	}
	return names
}
