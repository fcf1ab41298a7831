package main

import (
	"os"

	"golang.org/x/term"
)

// terminal says whether a stream is somebody's screen.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// screen gives the width of a page in columns, 0 for the default, and whether to colour it (https://no-color.org).
func screen(stream any) (width int, color bool) {
	if !terminal(stream) {
		return 0, false
	}
	width, _, err := term.GetSize(int(stream.(*os.File).Fd()))
	if err != nil {
		width = 0
	}
	return width, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
