//go:build !js

package plugin

import (
	"encoding/binary"
	"unsafe"

	"github.com/stormlint/stormlint/wasm/filter/door"
)

// Lists of headers cross the boundary as the ABI has them: how many there are, the lengths of each name and value, then
// each with a zero behind, numbers in 32 bits, the lowest byte first.

// parsePairs reads those with names of wanted lengths (door.Wanted) from a list that the host gave into an array that is
// used again; the texts are views of the list. Nothing in it is trusted: ok is false for one that does not hold what it says.
func parsePairs(list []byte, wanted uint64, into [][2]string) (pairs [][2]string, ok bool) {
	if len(list) == 0 {
		return into, true
	}
	if len(list) < 4 {
		return into, false
	}
	n := uint64(binary.LittleEndian.Uint32(list))
	if 4+10*n > uint64(len(list)) {
		return into, false
	}
	lengths, rest := list[4:4+8*n], list[4+8*n:]
	for ; len(lengths) > 0; lengths = lengths[8:] {
		name, value := uint64(binary.LittleEndian.Uint32(lengths)), uint64(binary.LittleEndian.Uint32(lengths[4:]))
		if name+value+2 > uint64(len(rest)) {
			return into, false
		}
		if wanted>>min(name, 63)&1 != 0 {
			into = append(into, [2]string{view(rest[:name]), view(rest[name+1 : name+1+value])})
		}
		rest = rest[name+value+2:]
	}
	return into, true
}

// view is a text that the host gave: nobody else has its bytes, and nobody changes them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// appendPairs writes a list as parsePairs reads it.
func appendPairs(b []byte, list []door.Header) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	for _, h := range list {
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(len(h.Name))), uint32(len(h.Value)))
	}
	for _, h := range list {
		b = append(append(append(append(b, h.Name...), 0), h.Value...), 0)
	}
	return b
}
