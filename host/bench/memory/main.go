// Command memory measures what a compat analysis keeps: the process's peak above its idle, on a generated input that is
// never held as a whole.
//
//	go run ./host/bench/memory -mb 1000 -clients 1000000
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/stormlint/stormlint/core/analyze/compat"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/timeline"
	"github.com/stormlint/stormlint/host/bench/generate"
)

func main() {
	mb := flag.Int("mb", 100, "size of the input in MB")
	clients := flag.Int("clients", 10_000, "how many clients")
	flag.Parse()
	const chunk = 1 << 20
	buf := make([]byte, 0, chunk+1000)
	buf, _ = generate.Log(buf, "lines", chunk, *clients, 0)
	runtime.GC()
	idle := peak()
	a, err := compat.New(compat.Options{Seed: 1}, timeline.Part{}, connlog.Lines)
	if err != nil {
		panic(err)
	}
	for i := range *mb * 1_000_000 / chunk {
		if buf, err = generate.Log(buf[:0], "lines", chunk, *clients, uint64(i)); err != nil {
			panic(err)
		}
		if err := a.Feed(buf); err != nil {
			panic(err)
		}
	}
	r, err := a.Finish()
	if err != nil {
		panic(err)
	}
	piece := []byte{}
	for i := range r.Pieces() {
		piece = r.AppendPiece(piece[:0], i)
	}
	fmt.Printf("%d clients seen, idle %.1f MB, peak %.1f MB above it\n", r.Clients, float64(idle)/1e6, float64(peak()-idle)/1e6)
}

// peak is the most memory the process has had resident, in bytes, as Linux tells it.
func peak() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	rest, _, _ = bytes.Cut(rest, []byte(" kB"))
	kb, err := strconv.Atoi(string(bytes.TrimSpace(rest)))
	if err != nil {
		panic(err)
	}
	return kb * 1024
}
