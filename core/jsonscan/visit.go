package jsonscan

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
)

// Check reports whether data is exactly one JSON value with nothing but white space around it.
func Check(data []byte) error {
	_, err := one(data)
	return err
}

// one finds the value that is the whole of data.
func one(data []byte) (value []byte, err error) {
	i := Space(data, 0)
	end := Skip(data, i, 0)
	if end < 0 {
		return nil, Bad(data, ^end)
	}
	if rest := Space(data, end); rest < len(data) {
		return nil, Bad(data, rest)
	}
	return data[i:end], nil
}

// Object calls visit for each field of the object that is the whole of data, in the order written, equal keys included
// (so that simply assigning makes the last one count). The slices are valid during the call. It stops at the first error.
// Syntax is checked as it goes: fields before the fault have been visited.
func Object(data []byte, visit func(key, value []byte) error) error {
	f := Fields{Data: data}
	at := Space(data, 0)
	if !f.Open(at, 0) {
		value, err := one(data)
		if err != nil {
			return err
		}
		return &fault.Error{Code: fault.BadSyntax, Package: "jsonscan", Value: Sample(value), Expected: "a JSON object"}
	}
	for f.Next() {
		if err := visit(f.Key(), data[f.At:f.End]); err != nil {
			return err
		}
	}
	if f.Bad >= 0 {
		return Bad(data, f.Bad)
	}
	if rest := Space(data, f.Past); rest < len(data) {
		return Bad(data, rest)
	}
	return nil
}

// Once is Object for what a person wrote: a key that is written twice is refused, since one of the two would be lost.
func Once(pkg string, data []byte, visit func(key, value []byte) error) error {
	seen := map[string]bool{}
	return Object(data, func(key, value []byte) error {
		if seen[string(key)] {
			return fault.Value(pkg, Sample(key), "written twice", "once")
		}
		seen[string(key)] = true
		return visit(key, value)
	})
}

// Array calls visit for each element of the array that is the whole of data, counted from 0, and stops at the first
// error; else as Object.
func Array(data []byte, visit func(index int, value []byte) error) error {
	i := Space(data, 0)
	if i >= len(data) || data[i] != '[' {
		value, err := one(data)
		if err != nil {
			return err
		}
		return &fault.Error{Code: fault.BadSyntax, Package: "jsonscan", Value: Sample(value), Expected: "a JSON array"}
	}
	i = Space(data, i+1)
	for n := 0; ; n++ {
		if n == 0 && i < len(data) && data[i] == ']' {
			break
		}
		end := Skip(data, i, 1)
		if end < 0 {
			return Bad(data, ^end)
		}
		if err := visit(n, data[i:end]); err != nil {
			return err
		}
		i = Space(data, end)
		if i >= len(data) || data[i] != ',' && data[i] != ']' {
			return Bad(data, i)
		}
		if data[i] == ']' {
			break
		}
		i = Space(data, i+1)
	}
	if rest := Space(data, i+1); rest < len(data) {
		return Bad(data, rest)
	}
	return nil
}

// Bad is the fault of text that is not JSON from byte i on.
func Bad(data []byte, i int) error {
	e := &fault.Error{Code: fault.BadSyntax, Package: "jsonscan"}
	if i >= len(data) {
		e.Message = "JSON text ends too early, at byte " + strconv.Itoa(len(data))
		return e
	}
	e.Message = "not valid JSON at byte " + strconv.Itoa(i)
	e.Value = Sample(data[i:min(len(data), i+24)])
	return e
}

// Sample shows a value in an error text: as it is written where that is printable ASCII, quoted where it is not, and cut
// to 40 bytes.
func Sample(value []byte) string {
	cut := ""
	if len(value) > 40 {
		value, cut = value[:37], "..."
	}
	for _, c := range value {
		if c < ' ' || c > '~' {
			return strconv.Quote(string(value)) + cut
		}
	}
	return string(value) + cut
}
