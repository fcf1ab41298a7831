package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/host/sandbox"
	"github.com/stormlint/stormlint/wasm/abi"
	"github.com/stormlint/stormlint/wasm/module"
)

// The exit codes.
const (
	exitDone    = 0 // the question was answered
	exitFinding = 1 // and a finding is at or above --fail-on
	exitBad     = 2 // bad usage, or nothing readable
)

// verbs is the command line: a verb is a field here and a file of its name.
type verbs struct {
	Engine string           `enum:"native,wasm" default:"native" help:"Run the core as native code, or as the WebAssembly module in a sandbox: the same bytes come out (native, wasm)."`
	About  kong.VersionFlag `name:"version" hidden:""`

	Analyze   analyzeVerb   `cmd:"" help:"Read logs and report which clients reconnect how."`
	Lint      lintVerb      `cmd:"" help:"Judge a reconnect schedule: a policy, a real library's, or the delays your test suite recorded."`
	Recommend recommendVerb `cmd:"" help:"Say which window, backlog, timeout and drain suit so many clients and such a server, each tried by simulation."`
	Simulate  simulateVerb  `cmd:"" help:"Predict how so many clients come back to such a server, under one policy or several."`
	Guard     guardVerb     `cmd:"" help:"Limit WebSocket handshakes at the door, or say what limits would have done to a log."`
	Storm     stormVerb     `cmd:"" help:"Make a storm of real sockets against a server of your own, or against a gateway that it starts."`
	Gateway   gatewayVerb   `cmd:"" help:"Run a WebSocket server to storm against: capacity, backlog, outages, drains."`
	Page      pageVerb      `cmd:"" help:"Serve the log checker, a page that reads logs in the browser, on this machine."`
	Version   versionVerb   `cmd:"" help:"Print the version."`
	Formats   formatsVerb   `cmd:"" help:"List the logs that are read, or explain how one is read."`
	Keep      keepVerb      `cmd:"" hidden:""`
	Work      workVerb      `cmd:"" hidden:""`
}

// env is what a verb may touch.
type env struct {
	ctx    context.Context
	args   []string
	stdin  io.Reader
	stdout *bufio.Writer
	stderr io.Writer
	engine *engine.Engine
	native bool
	width  int  // of the screen that stdout is, in columns; 0 for none
	color  bool // stdout is a screen that may have colours
}

// notice tells the user something that is no part of the answer.
func (e *env) notice(format string, arguments ...any) {
	fmt.Fprintf(e.stderr, "stormlint: "+format+"\n", arguments...)
}

// failed is the error of a verb that answered and found what --fail-on forbids: exit 1 without a text.
var failed = errors.New("a finding at or above --fail-on")

// run is the whole program: it reads and writes only what it is given and returns the exit code.
func run(stdin io.Reader, stdout, stderr io.Writer, args []string) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // a supervisor asks with SIGTERM: logs are flushed and sessions drained
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends what the first cannot: a read that waits, a long drain
	out := bufio.NewWriterSize(stdout, 64<<10)

	var v verbs
	exited := -1
	parser, err := kong.New(&v,
		kong.Name("stormlint"),
		kong.Description("stormlint finds, explains, predicts and stops WebSocket reconnect storms.\n\nExit codes: 0 done; 1 a finding at or above --fail-on, or an --expect that fell short; 2 bad usage, nothing readable, or stopped before the end."),
		kong.Writers(out, stderr),
		kong.Exit(func(c int) { exited = c }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.Vars{"version": "stormlint " + abi.Product},
	)
	if err != nil {
		panic(err) // a mistake in the struct tags
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	chosen, err := parser.Parse(signed(parser.Model, args))
	if exited >= 0 { // --help was asked for and printed
		out.Flush()
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "stormlint: %s (stormlint %s--help tells more)\n", err, helpful(chosen, err))
		return exitBad
	}

	if err := filled(chosen); err != nil {
		fmt.Fprintf(stderr, "stormlint: %s\n", err)
		return exitBad
	}
	e := &env{ctx: ctx, args: args, stdin: stdin, stdout: out, stderr: stderr}
	e.width, e.color = screen(stdout)
	err = e.start(v.Engine)
	if err == nil {
		err = chosen.Run(e)
	}
	if flushed := out.Flush(); flushed != nil && err == nil {
		err = fmt.Errorf("writing the answer: %w", flushed)
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, failed):
		return exitFinding
	default:
		fmt.Fprintf(stderr, "stormlint: %s\n", err)
		return exitBad
	}
}

// filled refuses a flag that was given without anything in it: mostly a variable of a script that was not set.
func filled(line *kong.Context) error {
	for _, p := range line.Path {
		f := p.Flag
		if f == nil {
			continue
		}
		empty := false
		switch value := f.Target.Interface().(type) {
		case string:
			empty = value == ""
		case *string:
			empty = value != nil && *value == ""
		case []string:
			empty = len(value) == 0 || slices.Contains(value, "")
		}
		if empty {
			return usage("--"+f.Name, "empty", f.FormatPlaceHolder())
		}
	}
	return nil
}

// helpful is the verb that was meant, with a blank, or nothing.
func helpful(chosen *kong.Context, err error) string {
	var p *kong.ParseError
	if errors.As(err, &p) {
		chosen = p.Context
	}
	if chosen != nil {
		if s := chosen.Selected(); s != nil {
			return strings.TrimPrefix(s.Path(), "stormlint ") + " "
		}
	}
	return ""
}

// start makes the engine.
func (e *env) start(name string) error {
	if name == "native" {
		e.engine, e.native = engine.Native(nil), true
		return nil
	}
	s, err := sandboxed()
	if err != nil {
		return err
	}
	e.engine = engine.New(s)
	return nil
}

// sandboxed is the module in its sandbox. It is compiled once a process, which a run is; tests run often.
var sandboxed = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	wasm, err := module.Bytes()
	if err != nil {
		return nil, err
	}
	var options sandbox.Options
	if dir, err := os.UserCacheDir(); err == nil {
		options.CacheDir = filepath.Join(dir, "stormlint", "wasm")
		if os.MkdirAll(options.CacheDir, 0o700) != nil {
			options.CacheDir = ""
		}
	}
	return sandbox.New(context.Background(), wasm, options)
})

// usage is the error of flags that do not fit each other or their values.
func usage(field, value, expected string) error {
	return &fault.Error{Code: fault.BadUsage, Field: field, Value: value, Expected: expected}
}
