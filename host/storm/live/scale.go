package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// scale drops very many clients at once, which come back as fast as they can: over so many pairs of a gateway and its
// clients. It prints handshakes a second and, with one pair, whose clients are in this process, memory a connection.
func scale(ctx context.Context, clients, pairs int) error {
	before := resident()
	own, others := cpu()
	g, err := storm.StartGateways(ctx, worker(), pairs, gateway.Options{}, nil)
	if err != nil {
		return err
	}
	policy, err := backoff.Parse("immediate:10ms")
	if err != nil {
		return err
	}
	o := storm.Options{URI: g.URIs()[0], Clients: clients, Policy: policy, Bursts: 3, Interval: time.Second, Timeout: 30 * time.Second,
		Drop: g.Drop, Rate: 1e6, Ramp: 10_000, Self: worker()}
	open := 0
	if pairs > 1 {
		o.Workers = g.URIs()
	} else {
		o.Progress = func(s storm.Snapshot) { // while all are open
			if s.Open == clients && open == 0 {
				open = resident() - before
			}
		}
	}
	r, err := storm.Run(ctx, o)
	if err = errors.Join(err, g.Close()); err != nil {
		return err
	}
	own2, others2 := cpu()
	per := 1000 / float64(4*clients) // ms of each handshake; the first connects as well
	mine := spent{(own2.user - own.user) * per, (own2.kernel - own.kernel) * per}
	theirs := spent{(others2.user - others.user) * per, (others2.kernel - others.kernel) * per}
	failed, least := 0, 0.0
	rates, kinds := "", ""
	for _, b := range r.Bursts {
		failed += b.Failed + b.Dropped - b.Back
		for _, k := range b.Kinds() {
			kinds += " (" + figure.Count(int64(b.Errors[k])) + " × " + string(k) + ")"
		}
		rate := float64(b.Back) / b.Last.Seconds()
		least = max(least, rate)
		rates += " " + figure.Count(int64(rate))
	}
	where := "one process"
	if pairs > 1 {
		where = strconv.Itoa(pairs) + " pairs of processes"
	}
	fmt.Printf("%s clients in %s: %d open at the end, %d attempts failed%s; handshakes/s, of each of three drops:%s", figure.Count(int64(clients)), where, r.Open, failed, kinds, rates)
	if open > 0 {
		fmt.Printf("; %.1f KiB a connection (resident memory of the clients' process)", float64(open)/1024/float64(clients))
	}
	whole := mine.user + mine.kernel + theirs.user + theirs.kernel
	fmt.Printf("; %.3f ms of CPU a handshake, both ends, and its end: %.0f a second on two cores with nothing else to do", whole, 2000/whole)
	if pairs == 1 {
		fmt.Printf("; clients %.3f ms and %.3f in the kernel, gateway %.3f and %.3f: the kernel alone would take %.0f a second",
			mine.user, mine.kernel, theirs.user, theirs.kernel, 2000/(mine.kernel+theirs.kernel))
	}
	fmt.Println()
	return nil
}

// resident is the memory of this process in bytes, without garbage; 0 where the
// system does not tell.
func resident() int {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * os.Getpagesize()
}
