package main

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// signed joins a flag that takes a number to the negative one behind it. What begins with a hyphen is a flag otherwise, and who
// writes --clients -3 would be told how to quote it instead of which numbers there can be.
func signed(app *kong.Application, args []string) []string {
	numeric := map[string]string{} // how a flag may be written, to its name
	nodes := []*kong.Node{app.Node}
	for _, word := range args {
		if verb := child(app.Node, word); verb != nil {
			nodes = append(nodes, verb)
			break
		}
	}
	for _, n := range nodes {
		for _, f := range n.Flags {
			if !isNumber(f.Target.Type()) {
				continue
			}
			numeric["--"+f.Name] = f.Name
			if f.Short != 0 {
				numeric["-"+string(f.Short)] = f.Name
			}
		}
	}
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		name, ok := numeric[args[i]]
		if ok && i+1 < len(args) && len(args[i+1]) > 1 && args[i+1][0] == '-' && strings.IndexByte(".0123456789", args[i+1][1]) >= 0 {
			i++
			out = append(out, "--"+name+"="+args[i])
			continue
		}
		out = append(out, args[i])
	}
	return out
}

func child(n *kong.Node, name string) *kong.Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// isNumber reports whether a flag's values are integers, fractions or durations, one or several.
func isNumber(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uintptr
}
