package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/herd"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// One row: so many clients, a capacity that takes W for them, and what a rejection costs.
type scenario struct {
	policy string
	window time.Duration // N/C
	cost   float64
}

const (
	clients  = 400
	drops    = 3 // each with waits of its own; the median is told
	patience = 60 * time.Second
)

// outcome is what the two worlds say of one drop.
type outcome struct{ peak, p99 float64 }

// row is a scenario with its outcomes, a drop each.
type row struct {
	scenario
	live, simulated []outcome
	failed          int // outside the scenario: errors other than 503 and timeouts
	err             error
}

func scenarios(window time.Duration) (list []scenario) {
	for _, cost := range []float64{0, 0.1} {
		for _, p := range []string{"fixed:1s", "full:1s:30s", "equal:1s:30s", "decorrelated:1s:30s", "window:" + (window * 5 / 4).String()} {
			list = append(list, scenario{p, window, cost})
		}
	}
	return list
}

// table runs every scenario both ways. Recoveries of a second are run a few at a time, those of ten seconds all at once: they
// keep the machine idle most of the time.
func table(ctx context.Context) error {
	intake, err := takesIn(ctx)
	if err != nil {
		return err
	}
	late := lateness(ctx)
	var rows []*row
	batch := func(list []scenario, at int) {
		for _, some := range slices.Collect(slices.Chunk(list, at)) {
			var wait sync.WaitGroup
			for i, s := range some {
				r := &row{scenario: s}
				rows = append(rows, r)
				wait.Go(func() {
					// The waves of several herds in step would meet: each begins a little later.
					time.Sleep(time.Duration(i) * 137 * time.Millisecond)
					r.err = r.run(ctx, intake)
				})
			}
			wait.Wait()
		}
	}
	batch(scenarios(time.Second), 2)
	batch(scenarios(10*time.Second), 10)
	fmt.Printf("%d clients lose their connections at once, %d times; medians. Live: real sockets, both ends in one process.\n", clients, drops)
	fmt.Printf("This machine takes in %s attempts a second, which the simulation is told.\n", figure.Count(int64(intake)))
	fmt.Println("Sleepers of this machine were late by", late()+".")
	fmt.Printf("%-22s %4s %4s  %26s  %26s\n", "", "N/C", "cost", "busiest/s: live, sim., ratio", "99 % back: live, sim., ratio")
	peaks, recoveries, failed := 0, 0, 0
	for _, r := range rows {
		if r.err != nil {
			return r.err
		}
		peak, simPeak, peakRatio := medians(r, func(o outcome) float64 { return o.peak })
		p99, simP99, p99Ratio := medians(r, func(o outcome) float64 { return o.p99 })
		mark := ""
		if !within(peakRatio, 0.2) {
			peaks++
			mark = "  peak"
		}
		if !within(p99Ratio, 0.15) {
			recoveries++
			mark += "  recovery"
		}
		failed += r.failed
		fmt.Printf("%-22s %4s %4.1f  %10.0f %9.0f %6.2f  %9.2fs %8.2fs %6.2f%s\n", r.policy, r.window, r.cost, peak, simPeak, peakRatio, p99, simP99, p99Ratio, mark)
	}
	fmt.Printf("%d of %d peaks are off by more than 20 %%, %d recoveries by more than 15 %%; %s outside the scenario\n", peaks, len(rows), recoveries, figure.Several(int64(failed), "failure"))
	return nil
}

func within(ratio, by float64) bool { return ratio > 1-by && ratio < 1+by }

// medians are those of the figures, and of the ratio of the two worlds drop by drop.
func medians(r *row, of func(outcome) float64) (live, simulated, ratio float64) {
	var a, b, c []float64
	for i := range r.live {
		x, y := of(r.live[i]), of(r.simulated[i])
		a, b, c = append(a, x), append(b, y), append(c, x/y)
	}
	for _, list := range [][]float64{a, b, c} {
		slices.Sort(list)
	}
	return a[len(a)/2], b[len(b)/2], c[len(c)/2]
}

// run storms and simulates. Both draw the same waits: drop k of a storm with a seed is the scenario with seed + k.
func (r *row) run(ctx context.Context, intake float64) error {
	policy, err := backoff.Parse(r.policy)
	if err != nil {
		return err
	}
	capacity := clients / r.window.Seconds()
	backlog := max(1, int(capacity/2))
	const seed, timeout = 7, 5 * time.Second
	g, err := gateway.Listen("127.0.0.1:0", gateway.Options{Capacity: capacity, Backlog: backlog, RejectCost: r.cost})
	if err != nil {
		return err
	}
	report, err := storm.Run(ctx, storm.Options{URI: g.URI(), Clients: clients, Policy: policy, Bursts: drops, Interval: 500 * time.Millisecond,
		Timeout: timeout, Patience: patience, Seed: seed, Ramp: capacity * 0.9, Drop: g.Drop})
	if err = errors.Join(err, g.Close(context.Background())); err != nil {
		return err
	}
	var peakBin time.Duration
	for k := range drops {
		sim, err := simulate(herd.Scenario{
			Groups:  []herd.Group{{Clients: clients, Policy: policy}},
			Server:  herd.Server{Capacity: capacity, Backlog: backlog, RejectCost: r.cost, FreeRejects: r.cost == 0, Intake: intake},
			Net:     herd.Network{Instant: true, Timeout: timeout},
			Seed:    seed + uint64(k) + 1,
			Horizon: patience,
		})
		if err != nil {
			return err
		}
		if sim.Recovered < clients {
			return fmt.Errorf("%s, N/C %s, cost %g: %d clients stay out in the simulation", r.policy, r.window, r.cost, clients-sim.Recovered)
		}
		r.simulated = append(r.simulated, outcome{sim.Peak, sim.Recovery.P99.Seconds()})
		peakBin = sim.PeakBin
	}
	for _, b := range report.Bursts {
		if b.Back < b.Dropped || b.Dropped != clients {
			r.failed += clients - b.Back
		}
		for kind, n := range b.Errors {
			if kind != "503" && kind != "timeout" {
				r.failed += n
			}
		}
		r.live = append(r.live, outcome{busiest(b.Arrivals, peakBin), b.P99.Seconds()})
	}
	if len(r.live) < drops {
		return fmt.Errorf("%s: stopped: %s", r.policy, report.Stopped)
	}
	return nil
}

func simulate(s herd.Scenario) (herd.Result, error) {
	run, err := herd.New(s)
	if err != nil {
		return herd.Result{}, err
	}
	for !run.Step(1 << 20) {
	}
	return run.Result(), nil
}

// busiest is the largest bin of a width, in attempts a second.
func busiest(counts []int, bin time.Duration) float64 {
	step := int(bin / storm.BinWidth)
	most := 0
	for i := 0; i < len(counts); i += step {
		sum := 0
		for _, n := range counts[i:min(i+step, len(counts))] {
			sum += n
		}
		most = max(most, sum)
	}
	return float64(most) / bin.Seconds()
}

// takesIn measures how many attempts a second this machine takes in at all: clients that come back at once, to a gateway without
// limits.
func takesIn(ctx context.Context) (float64, error) {
	g, err := gateway.Listen("127.0.0.1:0", gateway.Options{})
	if err != nil {
		return 0, err
	}
	policy, err := backoff.Parse("immediate:1ms")
	if err != nil {
		return 0, err
	}
	r, err := storm.Run(ctx, storm.Options{URI: g.URI(), Clients: clients, Policy: policy, Bursts: 5, Interval: 200 * time.Millisecond, Drop: g.Drop, Rate: 1e6})
	if err = errors.Join(err, g.Close(context.Background())); err != nil {
		return 0, err
	}
	var rates []float64
	for _, b := range r.Bursts {
		rates = append(rates, float64(b.Back)/b.Last.Seconds())
	}
	slices.Sort(rates)
	return rates[len(rates)/2], nil
}

// lateness watches how late this machine lets a sleeper run, until the function it returns is called.
func lateness(ctx context.Context) (told func() string) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan []time.Duration)
	go func() {
		var late []time.Duration
		for ctx.Err() == nil {
			begin := time.Now()
			time.Sleep(10 * time.Millisecond)
			late = append(late, time.Since(begin)-10*time.Millisecond)
		}
		done <- late
	}()
	return func() string {
		cancel()
		late := <-done
		slices.Sort(late)
		var b strings.Builder
		for i, share := range []int{50, 99} {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s (%d %%)", figure.Span(float64(late[(len(late)-1)*share/100])), share)
		}
		return b.String()
	}
}
