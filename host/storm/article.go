package storm

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// ArticleOptions are the four figures of the original harness.
type ArticleOptions struct {
	URI        string
	Clients    int           // 1 to 1,000
	Interval   time.Duration // above 0: how long a session may be silent before the client closes it
	Iterations int           // at least 1: the run takes Interval × Iterations
	OwnTarget  string        // as in Options
}

// ArticleReport is the original's report.
type ArticleReport struct {
	At      time.Time // the end of the run
	Metrics []ArticleMetrics
}

// ArticleMetrics are the counts of one client.
type ArticleMetrics struct {
	Attempts  int // tries again after a failure
	Successes int // sessions
	Failures  int // handshakes that gave none
}

// retryAfterFailure is the original's only wait: a hot loop against a server that is down.
const retryAfterFailure = 10 * time.Millisecond

// Article runs the original's control flow as it was, faults included, so that its figures can be compared: a client
// connects and waits for a message. Silence for an interval ends the session and counts an iteration; a message starts the
// interval again; a close by the server is followed by a new connection at once, uncounted; a failed handshake is a
// failure and a reconnect attempt and waits 10 ms. All stop after Interval × Iterations, or after Iterations silences.
func Article(ctx context.Context, o ArticleOptions) (*ArticleReport, error) {
	switch {
	case o.Clients < 1 || o.Clients > 1000:
		return nil, fault.Value("storm", "clients", strconv.Itoa(o.Clients), "1 to 1,000")
	case o.Interval <= 0:
		return nil, fault.Value("storm", "burst interval", o.Interval.String(), "above 0")
	case o.Iterations < 1:
		return nil, fault.Value("storm", "iterations", strconv.Itoa(o.Iterations), "at least 1")
	}
	full := Options{URI: o.URI, Clients: o.Clients, OwnTarget: o.OwnTarget}
	if err := full.validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.Interval*time.Duration(o.Iterations))
	defer cancel()
	r := &ArticleReport{Metrics: make([]ArticleMetrics, o.Clients)}
	d := newDialer(&full)
	var wait sync.WaitGroup
	for i := range r.Metrics {
		wait.Go(func() { r.Metrics[i] = articleClient(ctx, d, i, o) })
	}
	wait.Wait()
	r.At = time.Now()
	return r, nil
}

func articleClient(ctx context.Context, d *dialer, number int, o ArticleOptions) (m ArticleMetrics) {
	for silences := 0; silences < o.Iterations && ctx.Err() == nil; {
		socket, err := d.dial(ctx, number)
		if err != nil {
			if ctx.Err() != nil {
				return m
			}
			m.Failures++
			m.Attempts++
			sleep(ctx, retryAfterFailure)
			continue
		}
		m.Successes++
		stop := context.AfterFunc(ctx, func() { socket.Close() })
		for {
			socket.SetReadDeadline(time.Now().Add(o.Interval))
			header, err := ws.ReadHeader(socket)
			if err == nil {
				_, err = readPayload(socket, header, nil)
			}
			if err == nil && header.OpCode != ws.OpClose {
				continue
			}
			if err != nil && classify(err) == timedOut {
				silences++
			}
			break
		}
		stop()
		socket.Close()
	}
	return m
}

// AppendJSON appends {"timestamp","total_clients","metrics":[{"client_id","reconnect_attempts","successful_connections","failures"}]}.
func (r *ArticleReport) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.Time(jsonwrite.Key(b, "timestamp"), r.At.UnixNano(), 1e3)
	b = jsonwrite.Int(jsonwrite.Key(b, "total_clients"), int64(len(r.Metrics)))
	b = jsonwrite.Array(jsonwrite.Key(b, "metrics"))
	for i, m := range r.Metrics {
		b = jsonwrite.Object(b)
		b = jsonwrite.Int(jsonwrite.Key(b, "client_id"), int64(i))
		b = jsonwrite.Int(jsonwrite.Key(b, "reconnect_attempts"), int64(m.Attempts))
		b = jsonwrite.Int(jsonwrite.Key(b, "successful_connections"), int64(m.Successes))
		b = jsonwrite.Int(jsonwrite.Key(b, "failures"), int64(m.Failures))
		b = jsonwrite.End(b, '}')
	}
	return jsonwrite.End(jsonwrite.End(b, ']'), '}')
}
