package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/stormlint/stormlint/host/engine"
)

// threads compares one worker with two by wall time, round by round, on a file. Two can only be judged on two free
// processors, so every round tells how many a spinning pair got; the verdict counts those rounds alone that had 1.9.
func threads(w io.Writer, path string, clients, rounds int, kind string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	mb := float64(info.Size()) / 1e6
	gather := func(workers int) (wall, took float64, err error) {
		in := engine.Input{Name: "bench", Open: func() (io.ReadCloser, error) { return os.Open(path) }}
		in.File = func() (engine.File, int64, bool, error) {
			f, err := os.Open(path)
			return f, info.Size(), true, err
		}
		start, used := time.Now(), cpu()
		s, err := engine.Native(nil).Gather(context.Background(), engine.Job{Kind: kind, Options: []byte("{}"), Inputs: []engine.Input{in}, Workers: workers})
		if err != nil {
			return 0, 0, err
		}
		defer s.Close()
		read := time.Since(start).Seconds()
		if kind == "compat" { // the answer is printed by one, so it is left out; its making is not
			if _, err := s.Step(context.Background(), io.Discard); err != nil {
				return 0, 0, err
			}
			read = time.Since(start).Seconds()
		}
		return read, cpu() - used, nil
	}
	var one, two, gain, cost, free, judged []float64
	for range rounds {
		before := freeProcessors()
		a, usedA, err := gather(1)
		if err != nil {
			return err
		}
		b, usedB, err := gather(2)
		if err != nil {
			return err
		}
		f := min(before, freeProcessors())
		one, two, gain, free = append(one, mb/a), append(two, mb/b), append(gain, a/b), append(free, f)
		cost = append(cost, usedB/usedA)
		if f >= 1.9 {
			judged = append(judged, a/b)
		}
	}
	fmt.Fprintf(w, "\n%s, %.0f MB, %d clients, %d rounds; MB per second of wall time, median (least–most)\n", kind, mb, clients, rounds)
	for _, line := range []struct {
		name   string
		values []float64
		format string
	}{{"one worker", one, "%.0f"}, {"two workers", two, "%.0f"}, {"two over one", gain, "%.2f"}, {"processor time, two over one", cost, "%.2f"}, {"free processors", free, "%.2f"}} {
		f := line.format
		fmt.Fprintf(w, "  %-28s "+f+" ("+f+"–"+f+")\n", line.name, median(line.values), slices.Min(line.values), slices.Max(line.values))
	}
	if len(judged) == 0 {
		fmt.Fprintf(w, "  not judged: no round had 1.9 free processors\n")
		return nil
	}
	fmt.Fprintf(w, "  judged: %.2f (%.2f–%.2f), the %d rounds with at least 1.9 free processors\n", median(judged), slices.Min(judged), slices.Max(judged), len(judged))
	return nil
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// freeProcessors is how much processor time two spinning goroutines get in a second of wall time.
func freeProcessors() float64 {
	start, used := time.Now(), cpu()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for x := uint64(1); time.Since(start) < 60*time.Millisecond; x *= 3 {
				sink += x & 0
			}
		})
	}
	all.Wait()
	return (cpu() - used) / time.Since(start).Seconds()
}
