// Command stormlint finds, explains, predicts and stops WebSocket reconnect storms.
//
// Each verb is one file, named like the verb: a struct whose fields are the flags and whose Run does the work. This
// package knows flags, files and exit codes; what a report says is the core's, and how it reads is core/render's.
package main

import "os"

func main() { os.Exit(run(os.Stdin, os.Stdout, os.Stderr, os.Args[1:])) }
