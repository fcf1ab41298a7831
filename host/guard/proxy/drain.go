package proxy

import (
	"context"
	"math/rand/v2"
	"time"
)

const serviceRestart = 1012

// Drain stops taking clients and ends the tunnels there are, evenly over a time and in random order; zero is at once. It
// returns when the last is closed, or when the context ends: then it closes the rest at once.
func (p *Proxy) Drain(ctx context.Context, over time.Duration) {
	p.draining.Store(int64(time.Since(p.started) + over + 1))
	p.mu.Lock()
	list := make([]*tunnel, 0, len(p.tunnels))
	for t := range p.tunnels {
		list = append(list, t)
	}
	p.mu.Unlock()
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	p.log.Info("guard: draining", "tunnels", len(list), "over", over.String())
	frame := closeFrame(serviceRestart, "service restart; retry-after-ms=0")
	begin := time.Now()
	for i, t := range list {
		due := begin.Add(time.Duration((float64(i) + rand.Float64()) / float64(len(list)) * float64(over)))
		if !until(ctx, due) {
			break
		}
		go t.finish(frame, time.Second)
	}
	for ctx.Err() == nil && p.Tunnels() > 0 && time.Since(begin) < over+3*time.Second {
		until(ctx, time.Now().Add(10*time.Millisecond))
	}
	p.mu.Lock()
	rest := make([]*tunnel, 0, len(p.tunnels))
	for t := range p.tunnels {
		rest = append(rest, t)
	}
	p.mu.Unlock()
	for _, t := range rest {
		t.Close()
	}
}

// until waits for an instant; false when the context ended first.
func until(ctx context.Context, at time.Time) bool {
	d := time.Until(at)
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
