package jsonscan

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
)

// Read decodes one value into a Go variable, or says which field of which package is wrong: *bool, *string, *int, *int64,
// *uint64, *float64, *[]string, *[]int64, *[]float64 and *[]byte (the raw JSON, copied). null leaves the variable as it is. A
// pointer to any other type is a programmer's error and panics.
func Read(pkg, field string, value []byte, into any) error {
	if KindOf(value) == Null {
		return nil
	}
	ok, want := false, ""
	switch p := into.(type) {
	case *bool:
		want = "true or false"
		if ok = KindOf(value) == Bool; ok {
			*p = value[0] == 't'
		}
	case *string:
		want = "a string"
		var s string
		if s, ok = Text(value); ok {
			*p = s
		}
	case *int:
		want = "a whole number"
		var v int64
		if v, ok = Int(value); ok && int64(int(v)) == v {
			*p = int(v)
		}
	case *int64:
		want = "a whole number"
		var v int64
		if v, ok = Int(value); ok {
			*p = v
		}
	case *uint64:
		want = "a whole number from 0 to 18446744073709551615"
		if KindOf(value) == Number {
			v, err := strconv.ParseUint(string(value), 10, 64)
			if ok = err == nil; ok {
				*p = v
			}
		}
	case *float64:
		want = "a number"
		var v float64
		if v, ok = Float(value); ok {
			*p = v
		}
	case *[]byte:
		*p, ok = append([]byte(nil), value...), true
	case *[]string:
		return list(pkg, field, value, p)
	case *[]int64:
		return list(pkg, field, value, p)
	case *[]float64:
		return list(pkg, field, value, p)
	default:
		panic("jsonscan: Read into a type it does not know")
	}
	if !ok {
		return fault.Value(pkg, field, Sample(value), want)
	}
	return nil
}

// Set is Read for a configuration that people write: null is refused, since it would say something and change nothing.
func Set(pkg, field string, value []byte, into any) error {
	if KindOf(value) == Null {
		return fault.Value(pkg, field, "null", "a value; leave the key out for the default")
	}
	return Read(pkg, field, value, into)
}

func list[T any](pkg, field string, value []byte, into *[]T) error {
	if KindOf(value) != List {
		return fault.Value(pkg, field, Sample(value), "an array")
	}
	out := make([]T, 0, 8)
	err := Array(value, func(i int, element []byte) error {
		var v T
		if KindOf(element) == Null {
			return fault.Value(pkg, field+"["+strconv.Itoa(i)+"]", "null", "a value")
		}
		if err := Read(pkg, field+"["+strconv.Itoa(i)+"]", element, &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	if err == nil {
		*into = out
	}
	return err
}

// Unknown is the fault of a key that nothing reads; known lists the keys there are.
func Unknown(pkg string, key []byte, known string) error {
	return &fault.Error{Code: fault.BadUsage, Package: pkg, Message: "unknown key", Value: Sample(key), Expected: "one of " + known}
}
