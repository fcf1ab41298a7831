package engine

import (
	"encoding/json"

	"github.com/stormlint/stormlint/core/fault"
)

// Failure reads the error envelope of package abi back into the fault it was made of.
func Failure(envelope []byte) (*fault.Error, error) {
	var e struct {
		Code, Package, Message, Source string
		Record, Line                   int64
		Field, Value, Expected         string
	}
	if err := json.Unmarshal(envelope, &e); err != nil || e.Code == "" {
		return nil, &fault.Error{Code: fault.Crashed, Package: "engine", Message: "the error envelope cannot be read"}
	}
	return &fault.Error{Code: fault.Code(e.Code), Package: e.Package, Source: e.Source, Record: e.Record, Line: e.Line,
		Field: e.Field, Value: e.Value, Expected: e.Expected, Message: e.Message}, nil
}
