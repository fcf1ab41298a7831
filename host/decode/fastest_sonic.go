//go:build (amd64 || arm64) && !go1.28

package decode

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/bytedance/sonic"
)

// Fastest is sonic, set to encoding/json's rules. It is left out from Go 1.28 on, where this version of it no longer
// compiles to machine code.
//
// Two things sonic v1.15.5 does otherwise: it repairs invalid UTF-8 inside a json.RawMessage, which encoding/json keeps,
// and it gives up at a depth of 4,096, not 10,000. So what is no UTF-8, and what sonic refuses, is read by encoding/json.
func Fastest() Library {
	return Library{"sonic", func(data []byte, into any) error {
		if !utf8.Valid(data) || sonic.ConfigStd.Unmarshal(data, into) != nil {
			return json.Unmarshal(data, into)
		}
		return nil
	}}
}
