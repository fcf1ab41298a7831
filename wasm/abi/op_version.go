package abi

import (
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// version answers {"abi","version","operations","streams"}; the request is ignored.
func version(*Session, []byte) ([]byte, error) {
	b := jsonwrite.Object(nil)
	b = jsonwrite.Int(jsonwrite.Key(b, "abi"), Number)
	b = jsonwrite.String(jsonwrite.Key(b, "version"), Product)
	b = jsonwrite.Strings(jsonwrite.Key(b, "operations"), Operations())
	b = jsonwrite.Strings(jsonwrite.Key(b, "streams"), Streams())
	return jsonwrite.End(b, '}'), nil
}
