package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/host/decode"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/host/source"
	"github.com/stormlint/stormlint/wasm/abi"
)

type analyzeVerb struct {
	Files []string `arg:"" optional:"" name:"FILE" help:"Logs, plain or compressed (gzip, zstd); - is standard input."`

	Input  []string `placeholder:"FILE" help:"The same as FILE." group:"Input"`
	Sample bool     `help:"Analyse the bundled sample." group:"Input"`

	Parallel int `placeholder:"N" help:"Workers that read at once; the default, 0, is one for each processor. The report is the same." group:"Input"`

	reading
	counting
	judging

	Output      string `short:"o" enum:"text,json,ndjson,markdown,html,github" default:"text" help:"Form of the report: text, json, ndjson (all clients), markdown (for the incident document), html (one page), github (annotations and a summary)." group:"Report"`
	Addresses   bool   `name:"show-addresses" help:"Name clients by their addresses in markdown, html and github too, where they are client-001 otherwise." group:"Report"`
	FailOn      string `enum:"info,low,medium,high,critical,off" default:"off" placeholder:"LEVEL" help:"Exit 1 from this severity on (info, low, medium, high, critical, off; ${default})." group:"Report"`
	Events      bool   `help:"Print the events that were read, one JSON line each, instead of a report." group:"Report"`
	Compat      bool   `help:"The report of the original prototype, exactly; the threshold is 5 then." group:"Report"`
	EvaluatedAt string `placeholder:"T" help:"What --compat prints as evaluated_at; else now." group:"Report"`
	Decoder     string `enum:"own,sonic,std" default:"own" help:"Who takes JSON records apart: own, sonic or std; a check of the reader, the report is the same." group:"Report"`
}

// Help is printed below the flags.
func (analyzeVerb) Help() string {
	return `Such as:

  stormlint analyze --sample
  stormlint analyze access.log access.log.1 access.log.2.gz
  zcat old.log.gz | stormlint analyze --since 2026-11-30T10:00:00Z -
  stormlint analyze --path /ws --trusted-proxy 10.0.0.0/8 -o json access.log
  stormlint analyze --capacity 500 --mark 2026-11-30T10:00:00Z=v1.4 -o html access.log > report.html
  stormlint analyze -o github --fail-on high access.log`
}

// secret is a seed for the core's hashes over clients, so that nobody can write a log whose clients collide in the table. No
// report depends on it.
func secret() int64 { return rand.Int64() }

// compat is the core's option object for --compat.
func (v *analyzeVerb) compat() map[string]any {
	o := map[string]any{"threshold": int64(5), "evaluated_at": v.EvaluatedAt, "seed": secret()}
	if v.Threshold != 0 {
		o["threshold"] = v.Threshold
	}
	if v.EvaluatedAt == "" {
		o["evaluated_at"] = time.Now().UTC().Format(time.RFC3339)
	}
	return o
}

// options gives the core's option object.
func (v *analyzeVerb) options(e *env) (map[string]any, error) {
	o, err := v.reading.options()
	if err != nil {
		return nil, err
	}
	v.counting.add(o)
	if err := v.judging.add(o); err != nil {
		return nil, err
	}
	o["seed"], o["output"] = secret(), v.Output
	switch v.Output {
	case "text":
		o["width"], o["color"] = e.width, e.color
		if v.All {
			o["rows"] = -1
		}
	case "json":
	case "ndjson":
		o["all"] = true
		fallthrough
	default:
		o["command"] = "stormlint " + strings.Join(withoutEngine(e.args), " ")
	}
	if v.Addresses {
		o["show_addresses"] = true
	}
	return o, nil
}

// The bundled samples: testdata/sample/README.md says where they come from.
var (
	//go:embed sample.ndjson
	sample string
	//go:embed sample.json
	compatSample string
)

// sources are the inputs, or the error that says how to name one.
func (v *analyzeVerb) sources(e *env) ([]source.Source, error) {
	names := append(v.Files, v.Input...)
	if v.Sample {
		if len(names) > 0 {
			return nil, usage("--sample", "given beside "+names[0], "one of both")
		}
		return v.bundled(), nil
	}
	if len(names) == 0 {
		if e.stdin == nil || terminal(e.stdin) {
			if v.Compat {
				e.notice("no FILE and nothing on standard input: this is the bundled sample")
				return v.bundled(), nil
			}
			return nil, &fault.Error{Code: fault.BadUsage, Message: "no FILE and nothing on standard input", Expected: "a log to read, or --sample to see a report of the bundled one"}
		}
		names = []string{"-"}
	}
	return source.Resolve(names, e.stdin)
}

func (v *analyzeVerb) bundled() []source.Source {
	if v.Compat {
		return []source.Source{source.Text("sample.json", compatSample)}
	}
	return []source.Source{source.Text("sample.ndjson", sample)}
}

// Run reads every source as a part of its own and merges what they know.
func (v *analyzeVerb) Run(e *env) error {
	library, err := decode.Named(v.Decoder)
	if err != nil {
		return err
	}
	if library != nil {
		if v.Compat {
			return usage("--decoder", v.Decoder, "own with --compat, which has one reader: the prototype's rules are its own")
		}
		if !e.native {
			return usage("--decoder", v.Decoder, "own with --engine wasm: libraries run natively only")
		}
		if library.Name != v.Decoder {
			e.notice("%s does not compile to machine code here: %s reads instead", v.Decoder, library.Name)
		}
		e.engine = engine.Native(library.Format)
	}
	kind := "analyze"
	options, err := v.options(e)
	switch {
	case err != nil:
		return err
	case v.Parallel < 0 || v.Parallel > 1024:
		return usage("--parallel", strconv.Itoa(v.Parallel), "a number of workers, 0 for one each processor")
	case v.EvaluatedAt != "" && !v.Compat:
		return usage("--evaluated-at", "given without --compat", "--compat beside it: no other report has that field")
	case v.Compat && v.Events:
		return usage("--events", "given beside --compat", "one of both")
	case v.Compat:
		kind, options = "compat", v.compat()
	case v.Events:
		kind = "events"
	}
	list, err := v.sources(e)
	if err != nil {
		return err
	}
	show := progress(e, list)
	defer show.end()
	if v.Events {
		return v.print(e, list, options, show)
	}
	whole, err := e.gather(kind, options, list, v.Parallel, show, v.Compat)
	if err != nil {
		return err
	}
	defer whole.Close()
	show.end()
	if err := whole.FinishTo(e.ctx, e.stdout); err != nil {
		return engine.Named(err, list[0].Name)
	}
	if v.Compat || v.Output == "json" {
		e.stdout.WriteByte('\n')
	}
	if v.Compat || v.FailOn == "off" {
		return nil
	}
	return v.fail(e, whole)
}

// print writes the events of all sources, in order.
func (v *analyzeVerb) print(e *env, list []source.Source, options map[string]any, show *bar) error {
	var empty voids
	for i, s := range list {
		stream, err := e.open("events", options, i, s)
		if err != nil {
			return err
		}
		stream.Out = e.stdout
		if err = feed(e, stream, s, show, false); err == nil {
			err = engine.Named(stream.FinishTo(e.ctx, e.stdout), s.Name)
		}
		stream.Close()
		if err = empty.spare(err); err != nil {
			return err
		}
	}
	return empty.tell(e, len(list))
}

// open starts a stream of a kind over one of the sources.
func (e *env) open(kind string, options map[string]any, index int, s source.Source) (*engine.Stream, error) {
	request, err := encode(map[string]any{"options": options, "part": map[string]any{"source": index, "name": s.Name}})
	if err != nil {
		return nil, err
	}
	return e.engine.Open(e.ctx, kind, request)
}

// gather reads the sources with several workers.
func (e *env) gather(kind string, options map[string]any, list []source.Source, workers int, show *bar, strict bool) (*engine.Stream, error) {
	object, err := encode(options)
	if err != nil {
		return nil, err
	}
	job := engine.Job{Kind: kind, Options: object, Workers: workers, Read: show.read, Empty: aLog}
	if !strict {
		job.Damaged = func(err error) { e.notice("%s; what came before is analysed", err) }
		job.Void = func(err error) { e.notice("%s; the others are analysed", err) }
	}
	for _, s := range list {
		in := engine.Input{Name: s.Name, Open: func() (io.ReadCloser, error) { return show.counted(s.Open()) }}
		in.File = func() (engine.File, int64, bool, error) {
			f, ok, err := s.File()
			return f, s.Size, ok, err
		}
		job.Inputs = append(job.Inputs, in)
	}
	return e.engine.Gather(e.ctx, job)
}

const aLog = "a log, or --sample to see a report of the bundled one"

// fail is the exit status that --fail-on asks for.
func (v *analyzeVerb) fail(e *env, whole *engine.Stream) error {
	answer, err := whole.Ask(e.ctx, abi.Page, []byte(`{"n":1}`))
	if err != nil {
		return err
	}
	var page struct{ Worst *string }
	if err := json.Unmarshal(answer, &page); err != nil {
		return err
	}
	limit, _ := finding.ParseSeverity(v.FailOn)
	if page.Worst != nil {
		if worst, _ := finding.ParseSeverity(*page.Worst); worst >= limit {
			return failed
		}
	}
	return nil
}

// blank reports whether a piece of input holds nothing to read: no byte, or blanks, line ends and a byte order mark alone.
func blank(piece []byte) bool { return len(bytes.Trim(piece, " \t\r\n\ufeff")) == 0 }

// voids are the inputs that held nothing, of several that are read one after the other.
type voids []error

// spare keeps the error of an input that holds nothing, so that the others can be read.
func (v *voids) spare(err error) error {
	if void := (engine.Void{}); !errors.As(err, &void) {
		return err
	}
	*v = append(*v, err)
	return nil
}

// tell tells of them after the reading; where all of n held nothing, the first is the error.
func (v voids) tell(e *env, n int) error {
	if len(v) == n {
		return v[0]
	}
	for _, err := range v {
		e.notice("%s; the others are analysed", err)
	}
	return nil
}

// fed is a stream, or several that read the same.
type fed interface {
	Feed(ctx context.Context, chunk []byte) error
}

// feed gives a source to a stream. Data that turns out to be damaged or cut off is told, and what came before it stands,
// unless strict, as the prototype was.
func feed(e *env, stream fed, s source.Source, show *bar, strict bool) error {
	r, err := patient(e, s)
	if err != nil {
		return err
	}
	defer r.Close()
	buffer := make([]byte, engine.Piece)
	any := false
	for {
		n, err := r.Read(buffer)
		any = any || !blank(buffer[:n])
		if n > 0 {
			if err := stream.Feed(e.ctx, buffer[:n]); err != nil {
				return engine.Named(err, s.Name)
			}
			show.at(s, r.from)
		}
		switch {
		case err == io.EOF && !any:
			return engine.Nothing(s.Name, aLog)
		case err == io.EOF:
			return nil
		case err != nil && any && !strict && errors.Is(err, fault.BadSyntax):
			e.notice("%s; what came before is analysed", err)
			return nil
		case err != nil:
			return err
		}
	}
}

// withoutEngine is the command line without its engine and its workers, which change nothing in the answer.
func withoutEngine(args []string) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--engine" || args[i] == "--parallel":
			i++
		case !strings.HasPrefix(args[i], "--engine=") && !strings.HasPrefix(args[i], "--parallel="):
			rest = append(rest, args[i])
		}
	}
	return rest
}
