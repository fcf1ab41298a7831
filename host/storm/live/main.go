// Command live compares storms of real sockets with their simulation, and measures how large a storm can be.
//
//	go run ./host/storm/live              the table: the same scenarios live and simulated
//	go run ./host/storm/live -scale       handshakes a second, memory a connection, 30,000 connections over two pairs
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"

	"github.com/stormlint/stormlint/host/storm"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "work" {
		if err := storm.Work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	large := flag.Bool("scale", false, "measure how large a storm can be")
	profile := flag.String("cpuprofile", "", "write a profile of the clients' process to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	var err error
	if *large {
		if err = scale(ctx, 19_000, 1); err == nil {
			err = scale(ctx, 30_000, 2)
		}
	} else {
		err = table(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// worker is the command of this program's worker processes.
func worker() []string {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path, "work"}
}
