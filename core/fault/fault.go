// Package fault is the one error of stormlint: what was wrong, where, and what was expected instead.
//
// Every error that a user can cause carries the same eight fields on every side of the house, so that the command line,
// a Go program, the sandbox and JavaScript can print, compare and translate it alike. The code is the word a program
// tests; the text is for people and reads, with whatever is known:
//
//	connlog: access.json: record 7, line 12: event_type is "open", expected one of connect, disconnect, retry
//
// Errors from Go's own world (a missing file, a cancelled context) stay what they are and are wrapped with %w by the
// package that met them; they become a fault only at the edge, where a code word is needed.
package fault

import "strconv"

// Code is the word by which a program recognises a kind of error; the same words are used in Go, in the module's error
// envelope and as the code of a JavaScript error. A Code is itself an error, so errors.Is(err, fault.BadValue) works.
type Code string

// The code words. They may grow; a word, once released, keeps its meaning.
const (
	BadUsage    Code = "bad-usage"   // an option or argument that does not exist or does not fit the others
	BadValue    Code = "bad-value"   // a value outside its range or of the wrong type; Field, Value and Expected are set
	BadSyntax   Code = "bad-syntax"  // text that cannot be read at all; Record and Line say where
	BadState    Code = "bad-state"   // bytes that claim to be a state, a message or a module and are not
	Unreadable  Code = "unreadable"  // an input of which no record could be read
	TooLarge    Code = "too-large"   // an input, a line or a memory beyond its stated limit
	Unsupported Code = "unsupported" // understood, but not possible here; Expected says what to do instead
	Infeasible  Code = "infeasible"  // a question whose inputs admit no answer, such as more clients than descriptors
	NotFound    Code = "not-found"   // a name that no catalogue holds: a rule, a format, a library
	NotBuilt    Code = "not-built"   // the module's bytes are missing: run ./build.sh build
	Deadline    Code = "deadline"    // the caller's time ran out
	Crashed     Code = "crashed"     // the module trapped, exited or ran out of memory; the instance is gone
	Mismatch    Code = "mismatch"    // two sides of a seam with different versions
	Closed      Code = "closed"      // a handle used after its end
)

// Error makes a code usable as the target of errors.Is.
func (c Code) Error() string { return string(c) }

// Error is one fault. The zero value of every field but Code means "not known" or "does not apply".
type Error struct {
	Code     Code   // the word a program tests
	Package  string // the package that says it, "connlog"; the prefix of the text
	Source   string // the input as the user named it: a file, "-" for standard input
	Record   int64  // the input's record, counted from 1
	Line     int64  // the input's line, counted from 1
	Field    string // the option, argument or key at fault
	Value    string // its value as given, already cut and masked by whoever builds the fault
	Expected string // the allowed range or form, or what to do
	Message  string // free text where field, value and expected do not say it all
}

// Error gives one line: lower case, no full stop, package, place, field, value and what was expected.
func (e *Error) Error() string {
	b := make([]byte, 0, 96)
	if e.Package != "" {
		b = append(append(b, e.Package...), ": "...)
	}
	if e.Source != "" {
		b = append(append(b, e.Source...), ": "...)
	}
	if e.Record > 0 {
		b = strconv.AppendInt(append(b, "record "...), e.Record, 10)
		if e.Line > 0 {
			b = append(b, ", "...)
		} else {
			b = append(b, ": "...)
		}
	}
	if e.Line > 0 {
		b = append(strconv.AppendInt(append(b, "line "...), e.Line, 10), ": "...)
	}
	return string(append(b, e.What()...))
}

// What is the text without its prefix: what was wrong and what was expected.
func (e *Error) What() string {
	s := e.Message
	if e.Field != "" {
		if s != "" {
			s += ": "
		}
		s += e.Field
		if e.Value != "" {
			s += " is " + e.Value
		}
	} else if e.Value != "" {
		if s != "" {
			s += ": "
		}
		s += e.Value
	}
	if e.Expected != "" {
		if s != "" {
			s += ", "
		}
		s += "expected " + e.Expected
	}
	if s == "" {
		s = string(e.Code)
	}
	return s
}

// Is reports whether target is the same code word, or a fault with that code.
func (e *Error) Is(target error) bool {
	if c, ok := target.(Code); ok {
		return c == e.Code
	}
	return false
}

// Value is the fault of one value outside its range: the commonest of all.
func Value(pkg, field, value, expected string) *Error {
	return &Error{Code: BadValue, Package: pkg, Field: field, Value: value, Expected: expected}
}
