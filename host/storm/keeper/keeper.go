package keeper

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

// Grace is how long a program has between the request to end and its end.
const Grace = 2 * time.Second

// Program is one program to be started.
type Program struct {
	Args []string // the program, found on the PATH, and its arguments
	Env  []string // KEY=VALUE, beside the environment of the caller
}

// Event tells of one program that it has started, or that it has ended.
type Event struct {
	Program int    // its place in the list
	Process int    // its process id; 0 if it could not be started
	Ended   bool   // and with what status
	Status  string // "exit status 1", "signal: killed", or why it could not be started
	Said    string // the end of what it wrote to standard error, or to standard output if that is empty
}

// Keeper is a running keeper.
type Keeper struct {
	Events  <-chan Event // closed when the keeper has ended
	process *exec.Cmd
	line    io.Closer
	once    sync.Once
	err     error
}

// Start starts a keeper and has it start the programs. self is the command of a process that calls Keep. A program that
// is not on the PATH is refused before anything is started.
func Start(self []string, list []Program) (*Keeper, error) {
	for _, p := range list {
		if _, err := exec.LookPath(p.Args[0]); err != nil {
			return nil, fault.Value("storm", "exec", p.Args[0], "a program that can be started: "+strings.TrimPrefix(err.Error(), "exec: "))
		}
	}
	k := &Keeper{process: exec.Command(self[0], self[1:]...)}
	Apart(k.process)
	k.process.Stderr = os.Stderr
	in, err := k.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := k.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := k.process.Start(); err != nil {
		return nil, err
	}
	k.line = in
	events := make(chan Event, 2*len(list)) // what the keeper says never waits for who listens
	k.Events = events
	go func() {
		defer close(events)
		lines := json.NewDecoder(out)
		for {
			var e Event
			if lines.Decode(&e) != nil {
				return
			}
			select {
			case events <- e:
			default:
			}
		}
	}()
	if err := json.NewEncoder(in).Encode(list); err != nil {
		return nil, errors.Join(fmt.Errorf("keeper: the process that is to start the programs is gone: %w", err), k.Close())
	}
	return k, nil
}

// Close ends every program and returns when they have ended.
func (k *Keeper) Close() error {
	k.once.Do(func() {
		k.line.Close()
		limit := time.AfterFunc(2*Grace+5*time.Second, func() { k.process.Process.Kill() })
		defer limit.Stop()
		for range k.Events { // Wait may be called when the pipe has been read to its end
		}
		k.err = k.process.Wait()
	})
	return k.err
}

// Keep is the keeper's process: it reads the programs from in, starts them, writes events to out, and when in ends it
// ends them all. It returns when none is left.
func Keep(in io.Reader, out io.Writer) error {
	prepare()
	lines := bufio.NewReader(in)
	var list []Program
	text, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	var mu sync.Mutex
	tell := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		json.NewEncoder(out).Encode(e) // nobody may be there to hear it
	}
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, lines)
		close(ended)
	}()
	started := make([]*os.Process, 0, len(list))
	var wait sync.WaitGroup
	for i, p := range list {
		select {
		case <-ended:
			continue
		default:
		}
		c := exec.Command(p.Args[0], p.Args[1:]...)
		c.Env = append(os.Environ(), p.Env...)
		c.WaitDelay = time.Second // a descendant may hold the pipes open for ever
		group(c)
		errs, outs := new(tail), new(tail)
		c.Stderr, c.Stdout = errs, outs
		if err := c.Start(); err != nil {
			tell(Event{Program: i, Ended: true, Status: err.Error()})
			continue
		}
		started = append(started, c.Process)
		tell(Event{Program: i, Process: c.Process.Pid})
		wait.Go(func() {
			status := "exit status 0"
			if err := c.Wait(); c.ProcessState != nil {
				status = c.ProcessState.String()
			} else if err != nil {
				status = err.Error()
			}
			said := errs.last()
			if said == "" {
				said = outs.last()
			}
			tell(Event{Program: i, Process: c.Process.Pid, Ended: true, Status: status, Said: said})
		})
	}
	<-ended
	all := make(chan struct{})
	go func() { wait.Wait(); close(all) }()
	for _, p := range started {
		ask(p)
	}
	select {
	case <-all:
	case <-time.After(Grace):
	}
	for _, p := range started {
		finish(p)
	}
	<-all
	return sweep()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailLength = 4 << 10 // the cause stands before a trace

// Write keeps the last bytes.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if len(t.b) > tailLength {
		t.b = append(t.b[:0], t.b[len(t.b)-tailLength:]...)
	}
	return len(b), nil
}

// last is the line that tells most of why a program ended: the last one, or the cause before a trace of the runtime.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, inner := "", false // inner: a line of a trace, of which the cause stands further up
	lines := strings.Split(string(t.b), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l // Go's trace is not indented
		}
		// What runtimes print after the cause: Node an object and its version, all of them a trace that is indented.
		if l == "" || l == "}" || strings.HasPrefix(l, "Node.js v") {
			continue
		}
		indented := strings.ContainsRune(" \t", rune(lines[i][0]))
		if last == "" || inner && !indented {
			last, inner = l, indented
		}
	}
	return last
}
