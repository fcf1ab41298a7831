package abi

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// boundary takes {plan, at} and, as the request's body, a stretch from the middle of an input, and answers {"at"}: where a
// part may begin, at or after at, or -1 if nowhere in the stretch. For lines it is certain, if at is 1 or more; for an
// array it is a guess, which the reader of the part before confirms (see connlog.Guess). A plan of which only the framing
// is known will do.
func boundary(_ *Session, request []byte) ([]byte, error) {
	line, stretch := split(request)
	plan := &connlog.Plan{}
	at := 0
	err := jsonscan.Object(line, func(key, value []byte) (err error) {
		switch string(key) {
		case "plan":
			plan, err = connlog.ParsePlan(value)
		case "at":
			err = jsonscan.Read("abi", "at", value, &at)
		default:
			err = jsonscan.Unknown("abi", key, "plan, at")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	b := jsonwrite.Object(nil)
	b = jsonwrite.Int(jsonwrite.Key(b, "at"), int64(connlog.Guess(plan, stretch, max(at, 0))))
	return jsonwrite.End(b, '}'), nil
}
