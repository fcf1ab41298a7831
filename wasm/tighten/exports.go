package main

import (
	"errors"
	"fmt"
	"slices"
)

// without takes exports away. What a host finds exported it calls, be it for nothing: a proxy-wasm host that finds
// proxy_on_request_body calls it for every piece of every tunnel. Names that are not there are an error, so that a list of them
// cannot grow old unseen.
func without(in []byte, names []string) ([]byte, error) {
	m, err := parse(in)
	if err != nil {
		return nil, err
	}
	r := reader{b: m.sections[exportSection]}
	var kept []byte
	n, left := uint64(0), slices.Clone(names)
	for k := r.unsigned(); k > 0 && r.err == nil; k-- {
		entry := r.b
		name := string(r.take(r.unsigned()))
		r.byte() // what kind of thing
		r.unsigned()
		if i := slices.Index(left, name); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		kept = append(kept, entry[:len(entry)-len(r.b)]...)
		n++
	}
	switch {
	case r.err == nil && len(r.b) > 0:
		return nil, errLong
	case r.err != nil && len(m.sections[exportSection]) > 0:
		return nil, r.err
	case len(left) > 0:
		return nil, fmt.Errorf("without %q: the module exports nothing of that name", left)
	case n == 0:
		return nil, errors.New("without all that it exports, a module cannot be called")
	}
	m.sections[exportSection] = append(appendUnsigned(nil, n), kept...)
	return m.bytes(), nil
}
