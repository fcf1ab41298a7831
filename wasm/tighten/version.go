package main

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// tested refuses a program of another Go release than the one whose tables the tests have rewritten. The release stands in the
// image as runtime.buildVersion, a string variable: a text, and somewhere its address and length. Corrections (go1.26.8) do not
// change the layout; what comes before a release (go1.26rc1) or is built with an experiment (go1.26.8 X:...) may.
func (i *image) tested() error {
	begins := map[uint64]bool{} // where a text stands that begins as a release does
	for from := 0; ; {
		n := bytes.Index(i.memory[from:], []byte("go1."))
		if n < 0 {
			break
		}
		begins[uint64(from+n)] = true
		from += n + 1
	}
	found := ""
	for at := 0; at+16 <= len(i.memory); at += 8 {
		text := binary.LittleEndian.Uint64(i.memory[at:])
		if !begins[text] {
			continue
		}
		length := binary.LittleEndian.Uint64(i.memory[at+8:])
		if length > 100 || text+length > uint64(len(i.memory)) || length < uint64(len("go1.0")) {
			continue
		}
		version := string(i.memory[text : text+length])
		if found != "" && found != version {
			return &leftError{"two Go releases are named in it: " + found + " and " + version}
		}
		found = version
	}
	switch correction, ok := strings.CutPrefix(found, release); {
	case found == "":
		return &leftError{"no Go release is named in it"}
	case !ok || correction != "" && (correction[0] != '.' || len(correction) == 1 || strings.Trim(correction[1:], "0123456789") != ""):
		return &leftError{"it was made by " + found + ", only " + release + " is known here"}
	}
	return nil
}
