package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// A peer runs in a process of its own over the input as a file, and says by itself how much processor time it took.
type peer struct {
	name    string
	command []string // the file's name follows
}

// said is what a peer prints.
type said struct {
	Version                   string
	CPU, Wall                 float64
	Records, Clients, Jittery uint64
}

// peers are the ones that are installed. DuckDB is looked for in build/peers, where
//
//	python3 -m venv build/peers && build/peers/bin/pip install duckdb
//
// puts it, and in the python3 on the PATH.
func peers() (found []peer, missing []string) {
	python := "python3"
	if _, err := os.Stat("build/peers/bin/python"); err == nil {
		python = "build/peers/bin/python"
	}
	for _, p := range []struct {
		peer
		needs []string
	}{
		{peer{"DuckDB read_json, GROUP BY, 1 thread", []string{python, "host/bench/peers/duck.py"}}, []string{python, "-c", "import duckdb"}},
		{peer{"Python json, a loop", []string{"python3", "host/bench/peers/loop.py"}}, []string{"python3", "-c", "import json"}},
		{peer{"Node JSON.parse per line", []string{"node", "host/bench/peers/loop.mjs", "parse"}}, []string{"node", "--version"}},
		{peer{"Node, a byte scanner for this one shape", []string{"node", "host/bench/peers/loop.mjs", "scan"}}, []string{"node", "--version"}},
	} {
		if exec.Command(p.needs[0], p.needs[1:]...).Run() != nil {
			missing = append(missing, p.name)
			continue
		}
		found = append(found, p.peer)
	}
	return found, missing
}

func (p *peer) run(file string) (*said, error) {
	c := exec.Command(p.command[0], append(append([]string(nil), p.command[1:]...), file)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	s := &said{}
	return s, json.Unmarshal(out, s)
}

var pattern = regexp.MustCompile(`^\{"timestamp":"([^"]+)","client_ip":"([^"]+)","event_type":"([a-z]+)"(?:,"retry_interval_ms":(\d+))?\}$`)

// byPattern is Go's regexp on each line, as many write a log reader first.
func byPattern(data []byte) (func() *result, error) {
	t := table{}
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n')
		if n < 0 {
			n = len(data) - 1
		}
		m := pattern.FindSubmatch(data[:n])
		if m == nil {
			return nil, errBad
		}
		e := event{Timestamp: string(m[1]), ClientIP: string(m[2]), EventType: string(m[3])}
		if len(m[4]) > 0 {
			x, err := strconv.ParseInt(string(m[4]), 10, 64)
			if err != nil {
				return nil, err
			}
			e.Interval = &x
		}
		if err := t.add(&e); err != nil {
			return nil, err
		}
		data = data[n+1:]
	}
	return t.result, nil
}
