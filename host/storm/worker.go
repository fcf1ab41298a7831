package storm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/stormlint/stormlint/host/gateway"
)

// A storm that needs more descriptors than a process may have is spread over worker processes: the same executable,
// started again, told what to do by a line of JSON and answering each with one. When its standard input ends, a worker
// ends, so that none outlives who started it.

// order is what a worker is told. The first carries Clients or Gateway, and says what it is.
type order struct {
	Do      string           `json:"do"` // start, connect, arm, release, settle, drop, stop; halt ends what is under way and is not answered
	Clients *Options         `json:"clients,omitempty"`
	Gateway *gateway.Options `json:"gateway,omitempty"`
	Log     bool             `json:"log,omitempty"` // descriptor 3 is the log
	At      int64            `json:"at,omitempty"`  // unix ns
}

// answer is what a worker says.
type answer struct {
	Error    string    `json:"error,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Dropped  int       `json:"dropped,omitempty"`
	Burst    *burst    `json:"burst,omitempty"`
	Ending   *ending   `json:"ending,omitempty"`
	Snapshot *Snapshot `json:"snapshot,omitempty"` // said unasked
}

// burst is a Burst on its way: what cannot be added up is left to the end.
type burst struct {
	Dropped, Failed int
	Arrivals        []int
	Errors          map[Kind]int
	Recovered       []time.Duration
}

// Work is a worker's process: it reads orders from in until that ends.
func Work(in io.Reader, out io.Writer) error {
	ctx, halt := context.WithCancel(context.Background())
	defer halt()
	orders := make(chan order)
	go func() {
		defer close(orders)
		defer halt()
		lines := json.NewDecoder(bufio.NewReader(in))
		for {
			var o order
			if lines.Decode(&o) != nil {
				return
			}
			if o.Do == "halt" {
				halt()
				continue
			}
			orders <- o
		}
	}()
	var mu sync.Mutex
	say := func(a answer) error {
		mu.Lock()
		defer mu.Unlock()
		return json.NewEncoder(out).Encode(a)
	}
	first, ok := <-orders
	if !ok {
		return nil
	}
	var log io.WriteCloser
	if first.Log {
		log = &wholeLines{file: os.NewFile(3, "log")}
		defer log.Close()
	}
	if first.Gateway != nil {
		return serveGateway(first, log, orders, say)
	}
	if first.Clients == nil {
		return errors.New("storm: a worker without clients or a gateway")
	}
	return serveClients(ctx, first, log, orders, say)
}

func serveClients(ctx context.Context, first order, log io.Writer, orders <-chan order, say func(answer) error) error {
	o := *first.Clients
	if log != nil {
		o.Log = log
	}
	if err := o.validate(); err != nil {
		return say(answer{Error: err.Error()})
	}
	schedule, err := o.Policy.Compile()
	if err != nil {
		return say(answer{Error: err.Error()})
	}
	p := newPool(ctx, o, schedule)
	defer every(beat, func() {
		s := p.snapshot()
		say(answer{Snapshot: &s})
	})()
	say(answer{})
	for order := range orders {
		var a answer
		switch order.Do {
		case "connect":
			p.connect()
		case "arm":
			p.arm(time.Unix(0, order.At))
		case "release":
			p.release()
		case "settle":
			b, _ := p.settle()
			a.Burst = &burst{b.Dropped, b.Failed, b.Arrivals, b.Errors, b.recovered}
		case "stop":
			end, err := p.stop()
			if a.Ending = &end; err != nil {
				a.Error = err.Error()
			}
			return say(a)
		}
		if err := say(a); err != nil {
			return err
		}
	}
	p.stop() // who started this process is gone
	return nil
}

func serveGateway(first order, log io.Writer, orders <-chan order, say func(answer) error) error {
	o := *first.Gateway
	if log != nil {
		o.AccessLog = log
	}
	g, err := gateway.Listen("127.0.0.1:0", o)
	if err != nil {
		return say(answer{Error: err.Error()})
	}
	say(answer{URI: g.URI()})
	defer every(beat, func() { say(answer{Snapshot: new(Snapshot)}) })()
	end := func() error {
		limit, cancel := context.WithTimeout(context.Background(), o.DrainOver+5*time.Second)
		defer cancel()
		return g.Close(limit)
	}
	for order := range orders {
		var a answer
		switch order.Do {
		case "drop":
			a.Dropped = g.Drop()
		case "stop":
			if err := end(); err != nil {
				a.Error = err.Error()
			}
			return say(a)
		}
		if err := say(a); err != nil {
			return err
		}
	}
	return end()
}

// wholeLines writes whole lines to a file that several processes append to.
type wholeLines struct {
	file *os.File
	rest []byte
}

// Write keeps what comes after the last newline for the next call.
func (w *wholeLines) Write(b []byte) (int, error) {
	n := len(b)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == '\n' {
			w.rest = append(w.rest, b[:i+1]...)
			if _, err := w.file.Write(w.rest); err != nil {
				return 0, err
			}
			w.rest, b = w.rest[:0], b[i+1:]
			break
		}
	}
	w.rest = append(w.rest, b...)
	return n, nil
}

// Close writes what is left.
func (w *wholeLines) Close() error {
	_, err := w.file.Write(w.rest)
	return errors.Join(err, w.file.Close())
}
