//go:build wasm && !bare

package main

import (
	"os"
	"time"
)

func exit(code int) { os.Exit(code) }

// reach says what the module got at outside of itself.
func reach() string {
	text := ""
	if _, err := os.ReadFile("/etc/hostname"); err == nil {
		text += "read a file; "
	}
	if os.WriteFile("/tmp/stormlint-sandbox-escape", nil, 0o600) == nil {
		text += "wrote a file; "
	}
	if len(os.Environ()) > 0 {
		text += "saw the environment; "
	}
	if len(os.Args) > 1 {
		text += "saw arguments; "
	}
	if d := time.Since(time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)); d > 365*24*time.Hour {
		text += "knows the date; "
	}
	return text
}
