package main

import (
	"os"

	"github.com/stormlint/stormlint/host/storm"
	"github.com/stormlint/stormlint/host/storm/keeper"
)

// keepVerb is the process that starts the programs of storm --exec, and ends them.
type keepVerb struct{}

func (keepVerb) Run(e *env) error { return keeper.Keep(e.stdin, os.Stdout) }

// workVerb is a worker process of a large storm.
type workVerb struct{}

func (workVerb) Run(e *env) error { return storm.Work(e.stdin, os.Stdout) }

// self is the command that runs this program with a hidden verb.
func self(verb string) ([]string, error) {
	path, err := os.Executable()
	return []string{path, verb}, err
}
