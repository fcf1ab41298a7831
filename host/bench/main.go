// Command bench measures how fast logs are read, as ratios within one run.
//
//	go run ./host/bench                                     100 MB, 10,000 clients, every shape, five rounds
//	go run ./host/bench -mb 1000 -clients 1000000 -shape lines
//	go run ./host/bench -generate FILE -mb 1000             writes the input and stops
//	go run ./host/bench -threads compat -mb 1000            one worker against two, by wall time
//
// All candidates run round by round in one process and are compared by CPU time (user and system, garbage collection
// included), because wall time on a shared machine measures the neighbours. Each does the same work: read every record,
// check timestamp and event type, and keep count, sum and sum of squares of the interval for each client. Their results
// are compared; a candidate that comes to another result fails the run. See README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/stormlint/stormlint/host/bench/generate"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	mb := f.Int("mb", 100, "size of the input in MB (1e6 bytes)")
	clients := f.Int("clients", 10_000, "how many clients")
	shape := f.String("shape", "all", "all, or some of "+strings.Join(generate.Shapes, ","))
	rounds := f.Int("rounds", 5, "rounds; medians are printed")
	only := f.String("only", "", "run only the candidates whose name contains this, or one of several after a comma each")
	seed := f.Uint64("seed", 1, "of the input")
	profile := f.String("cpuprofile", "", "write a profile to this file")
	two := f.String("threads", "", "compare one worker with two, for compat or analyze, on a file of the first shape")
	out := f.String("generate", "", "write the input to this file and stop")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 2
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 2
		}
		defer pprof.StopCPUProfile()
	}
	shapes := generate.Shapes
	if *shape != "all" {
		shapes = strings.Split(*shape, ",")
	}
	for _, s := range shapes {
		data, err := generate.Log(make([]byte, 0, *mb*1_000_000+1000), s, *mb*1_000_000, *clients, *seed)
		if err == nil && *out != "" {
			err = os.WriteFile(*out, data, 0o644)
		} else if err == nil && *two != "" {
			err = onFile(data, func(path string) error { data = nil; return threads(stdout, path, *clients, *rounds, *two) })
		} else if err == nil {
			err = compare(stdout, s, data, *clients, *rounds, *only)
		}
		if err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 2
		}
		if *out != "" || *two != "" {
			return 0
		}
	}
	return 0
}

// onFile puts data into a file for as long as use takes.
func onFile(data []byte, use func(path string) error) error {
	f, err := os.CreateTemp("", "stormlint-bench-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return use(f.Name())
}

// compare runs every candidate on one input and prints its table. Peers in processes of their own run on plain lines.
func compare(w io.Writer, shape string, data []byte, clients, rounds int, only string) error {
	var outside []peer
	if shape == "lines" {
		all, missing := peers()
		for _, p := range all {
			if chosen(p.name, only) {
				outside = append(outside, p)
			}
		}
		if only == "" && len(missing) > 0 {
			fmt.Fprintf(w, "not found: %s\n", strings.Join(missing, "; "))
		}
	}
	if len(outside) == 0 {
		return compareAll(w, shape, data, clients, rounds, only, nil, "")
	}
	return onFile(data, func(path string) error { return compareAll(w, shape, data, clients, rounds, only, outside, path) })
}

// chosen reports whether -only names a candidate.
func chosen(name, only string) bool {
	return slices.ContainsFunc(strings.Split(only, ","), func(part string) bool { return strings.Contains(name, part) })
}

func compareAll(w io.Writer, shape string, data []byte, clients, rounds int, only string, outside []peer, path string) error {
	times := make([][]float64, len(candidates)+len(outside))
	names := make([]string, len(candidates)+len(outside))
	var want *result
	for range rounds {
		for i, c := range candidates {
			names[i] = c.name
			if !c.takes(shape) || !chosen(c.name, only) {
				continue
			}
			start := cpu()
			digest, err := c.run(data)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", c.name, shape, err)
			}
			times[i] = append(times[i], cpu()-start)
			if digest == nil {
				continue
			}
			got := digest()
			if want == nil {
				want = got
			} else if *got != *want {
				return fmt.Errorf("%s on %s came to %+v, others to %+v", c.name, shape, *got, *want)
			}
		}
		for i, p := range outside {
			s, err := p.run(path)
			if err != nil {
				return err
			}
			if want != nil && (s.Records != want.records || s.Clients != want.clients || s.Jittery != want.jittery) {
				return fmt.Errorf("%s came to %+v, others to %+v", p.name, *s, *want)
			}
			i += len(candidates)
			names[i] = p.name + " (" + s.Version + ")"
			times[i] = append(times[i], s.CPU)
		}
	}
	fmt.Fprintf(w, "\n%s: %d MB, %d clients asked, %d rounds; MB per second of CPU time, median (least–most); ours over it\n", shape, len(data)/1e6, clients, rounds)
	if want != nil {
		fmt.Fprintf(w, "%d records, %d clients seen\n", want.records, want.clients)
	}
	mb := float64(len(data)) / 1e6
	ours := 0.0
	for i, name := range names {
		t := times[i]
		if len(t) == 0 {
			continue
		}
		slices.Sort(t)
		rate := mb / t[len(t)/2]
		if ours == 0 && i < len(candidates) && candidates[i].ours {
			ours = rate
		}
		ratio := ""
		if ours > 0 {
			ratio = fmt.Sprintf("%7.2f", ours/rate)
		}
		fmt.Fprintf(w, "  %-54s %8.0f (%.0f–%.0f) %s\n", name, rate, mb/t[len(t)-1], mb/t[0], ratio)
	}
	return nil
}
