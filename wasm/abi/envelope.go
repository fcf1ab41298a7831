package abi

import (
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// AppendError appends the JSON form of an error. One that is no *fault.Error gets the code "crashed", because the core
// returns nothing else: it is a mistake of ours, and loud.
func AppendError(b []byte, err error) []byte {
	f := named(err)
	if f == nil {
		f = &fault.Error{Code: fault.Crashed, Package: "abi", Message: err.Error()}
	}
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "code"), string(f.Code))
	b = jsonwrite.String(jsonwrite.Key(b, "text"), f.Error())
	b = jsonwrite.String(jsonwrite.Key(b, "package"), f.Package)
	b = jsonwrite.String(jsonwrite.Key(b, "message"), f.Message)
	b = jsonwrite.String(jsonwrite.Key(b, "source"), f.Source)
	b = jsonwrite.Int(jsonwrite.Key(b, "record"), f.Record)
	b = jsonwrite.Int(jsonwrite.Key(b, "line"), f.Line)
	b = jsonwrite.String(jsonwrite.Key(b, "field"), f.Field)
	b = jsonwrite.String(jsonwrite.Key(b, "value"), f.Value)
	b = jsonwrite.String(jsonwrite.Key(b, "expected"), f.Expected)
	return jsonwrite.End(b, '}')
}

// named finds the *fault.Error in a chain; errors.As would bring reflection into the module.
func named(err error) *fault.Error {
	for err != nil {
		if f, ok := err.(*fault.Error); ok {
			return f
		}
		wrapping, ok := err.(interface{ Unwrap() error })
		if !ok {
			return nil
		}
		err = wrapping.Unwrap()
	}
	return nil
}
