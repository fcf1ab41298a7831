package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/wasm/abi"
)

// exports are the functions of the seam, in the order of package abi's comment.
var exports = [...]string{"abi_version", "reserve", "result_ptr", "result_len", "call", "open", "feed", "state", "merge", "progress", "step", "finish", "page", "series", "client", "close"}

const (
	abiVersion = iota
	reserve
	resultPtr
	resultLen
	call
	open
	feed
	state
	merge
	progress
	step
	finish
	askPage
	askSeries
	askClient
	closeStream
)

// instance is one running module; it satisfies engine.Session.
type instance struct {
	module   api.Module
	function [len(exports)]api.Function
	stack    [4]uint64
	stderr   lastWords
	limit    int64
	dead     bool
}

var _ engine.Session = (*instance)(nil)

// instantiate starts an instance and compares versions.
func (s *Sandbox) instantiate(ctx context.Context) (*instance, error) {
	i := &instance{limit: s.options.MemoryLimit}
	for _, name := range exports {
		if _, ok := s.compiled.ExportedFunctions()[name]; !ok {
			return nil, &fault.Error{Code: fault.Mismatch, Package: "sandbox", Field: "export of the module", Value: "missing: " + name, Expected: "a build of wasm/guest"}
		}
	}
	// The configuration is what is left out of it: no file system, arguments, environment or clock. Randomness it gets for
	// the seeds of its hashes, so that nobody can write a log whose keys collide; no output depends on it.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithStderr(&i.stderr).WithRandSource(rand.Reader)
	// The instance outlives the caller's context, which only bounds its making.
	m, err := s.runtime.InstantiateModule(context.WithoutCancel(ctx), s.compiled, config)
	if err != nil {
		return nil, i.crash("start", err)
	}
	i.module = m
	for n, name := range exports {
		i.function[n] = m.ExportedFunction(name)
	}
	theirs, err := i.run(abiVersion)
	if err == nil {
		err = compare(abi.Number, int32(theirs), func() ([]byte, error) { return i.Call("version", nil) })
	}
	if err != nil {
		i.end()
		return nil, err
	}
	return i, nil
}

func (i *instance) sound() bool   { return !i.dead }
func (i *instance) memory() int64 { return int64(i.module.Memory().Size()) }

func (i *instance) end() {
	i.dead = true
	if i.module != nil {
		i.module.Close(context.Background())
	}
}

// run calls an export. An error means that the instance is dead.
func (i *instance) run(export int, arguments ...uint64) (uint32, error) {
	if i.dead {
		return 0, &fault.Error{Code: fault.Crashed, Package: "sandbox", Message: "the instance crashed before"}
	}
	copy(i.stack[:], arguments)
	if err := i.function[export].CallWithStack(context.Background(), i.stack[:]); err != nil {
		i.dead = true
		return 0, i.crash(exports[export], err)
	}
	return uint32(i.stack[0]), nil
}

// crash names what killed an instance. Of what the module wrote before its end only the first line is told, and only if
// the Go runtime wrote it: the rest may hold somebody's log.
func (i *instance) crash(export string, err error) error {
	f := &fault.Error{Code: fault.Crashed, Package: "sandbox", Message: "the module crashed in " + export}
	said, _, _ := bytes.Cut(i.stderr.text, []byte{'\n'})
	var exit *sys.ExitError
	switch {
	case bytes.Contains(i.stderr.text, []byte("out of memory")) || bytes.Contains(i.stderr.text, []byte("cannot allocate memory")):
		f.Message = "the module ran out of memory in " + export
		f.Expected = "at most " + strconv.FormatInt(i.limit>>20, 10) + " MiB to be enough"
	case bytes.HasPrefix(said, []byte("panic: runtime error: ")) || bytes.HasPrefix(said, []byte("fatal error: ")):
		f.Value = string(said)
	case bytes.HasPrefix(said, []byte("panic: ")):
		f.Value = "panic"
	case errors.As(err, &exit):
		f.Message = "the module exited with code " + strconv.FormatUint(uint64(exit.ExitCode()), 10) + " in " + export
	default:
		trap, _, _ := bytes.Cut([]byte(err.Error()), []byte{'\n'})
		f.Value = string(trap)
	}
	return f
}

// put copies bytes into the module's input buffer.
func (i *instance) put(parts ...[]byte) (n uint64, err error) {
	for _, p := range parts {
		n += uint64(len(p))
	}
	if n > abi.LargestInput {
		return 0, &fault.Error{Code: fault.TooLarge, Package: "sandbox", Field: "request", Value: strconv.FormatUint(n, 10) + " bytes", Expected: "at most " + strconv.Itoa(abi.LargestInput)}
	}
	at, err := i.run(reserve, n)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		if at == 0 || !i.module.Memory().Write(at, p) {
			i.dead = true
			return 0, &fault.Error{Code: fault.Crashed, Package: "sandbox", Message: "the module's input buffer lies outside its memory"}
		}
		at += uint32(len(p))
	}
	return n, nil
}

// result copies the last answer out of the module's memory.
func (i *instance) result() ([]byte, error) {
	at, err := i.run(resultPtr)
	if err != nil {
		return nil, err
	}
	n, err := i.run(resultLen)
	if err != nil || n == 0 {
		return nil, err
	}
	view, ok := i.module.Memory().Read(at, n)
	if !ok {
		i.dead = true
		return nil, &fault.Error{Code: fault.Crashed, Package: "sandbox", Message: "the module's answer lies outside its memory"}
	}
	return bytes.Clone(view), nil
}

// answer runs an export that gives a status.
func (i *instance) answer(export int, arguments ...uint64) ([]byte, abi.Status, error) {
	status, err := i.run(export, arguments...)
	if err != nil {
		return nil, abi.Failed, err
	}
	b, err := i.result()
	if err == nil && abi.Status(status) != abi.Done && abi.Status(status) != abi.Again {
		err = i.failure(b)
	}
	if err != nil {
		return nil, abi.Failed, err
	}
	return b, abi.Status(status), nil
}

func (i *instance) failure(envelope []byte) error {
	f, err := engine.Failure(envelope)
	if err != nil {
		i.dead = true
		return fmt.Errorf("sandbox: %w", err)
	}
	return f
}

func (i *instance) Call(op string, request []byte) ([]byte, error) {
	n, err := i.put([]byte(op), request)
	if err != nil {
		return nil, err
	}
	b, _, err := i.answer(call, uint64(len(op)), n)
	return b, err
}

func (i *instance) Open(kind string, request []byte) (abi.Handle, error) {
	n, err := i.put([]byte(kind), request)
	if err != nil {
		return 0, err
	}
	h, err := i.run(open, uint64(len(kind)), n)
	if err != nil || h != 0 {
		return abi.Handle(h), err
	}
	b, err := i.result()
	if err != nil {
		return 0, err
	}
	return 0, i.failure(b)
}

func (i *instance) Feed(h abi.Handle, chunk []byte) ([]byte, error) {
	n, err := i.put(chunk)
	if err != nil {
		return nil, err
	}
	b, _, err := i.answer(feed, uint64(h), n)
	return b, err
}

func (i *instance) State(h abi.Handle) ([]byte, error) {
	b, _, err := i.answer(state, uint64(h))
	return b, err
}

func (i *instance) Merge(h abi.Handle, whole []byte) error {
	for first := true; first || len(whole) > 0; first = false {
		piece := whole[:min(len(whole), engine.Piece)]
		whole = whole[len(piece):]
		n, err := i.put(piece)
		if err != nil {
			return err
		}
		more := uint64(0)
		if len(whole) > 0 {
			more = 1
		}
		if _, _, err := i.answer(merge, uint64(h), n, more); err != nil {
			return err
		}
	}
	return nil
}

func (i *instance) Progress(h abi.Handle) ([]byte, error) {
	b, _, err := i.answer(progress, uint64(h))
	return b, err
}

func (i *instance) Step(h abi.Handle, budget int) (answer []byte, again bool, err error) {
	b, status, err := i.answer(step, uint64(h), uint64(uint32(budget)))
	return b, err == nil && status == abi.Again, err
}

func (i *instance) Finish(h abi.Handle) ([]byte, error) {
	b, _, err := i.answer(finish, uint64(h))
	return b, err
}

func (i *instance) Ask(h abi.Handle, q abi.Question, request []byte) ([]byte, error) {
	export := map[abi.Question]int{abi.Page: askPage, abi.Series: askSeries, abi.Client: askClient}[q]
	if export == 0 {
		return nil, fault.Value("sandbox", "question", strconv.Quote(string(q)), "one of page, series, client")
	}
	n, err := i.put(request)
	if err != nil {
		return nil, err
	}
	b, _, err := i.answer(export, uint64(h), n)
	return b, err
}

func (i *instance) Close(h abi.Handle) error {
	_, _, err := i.answer(closeStream, uint64(h))
	return err
}

// lastWords keeps the beginning of what a dying module writes.
type lastWords struct{ text []byte }

func (w *lastWords) Write(b []byte) (int, error) {
	w.text = append(w.text, b[:min(len(b), 4096-min(len(w.text), 4096))]...)
	return len(b), nil
}
