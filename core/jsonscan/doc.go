// Package jsonscan is the one JSON reader of stormlint: for logs, policies, options, delays and configuration.
//
// It walks bytes. There is no tree, no reflection and, on the way of a log's records, no allocation: a value is the stretch
// of input it was written in, and is decoded when somebody asks for it.
//
//	err := jsonscan.Object(data, func(key, value []byte) error {
//		switch string(key) {
//		case "clients":
//			return jsonscan.Read("herd", "clients", value, &o.Clients)
//		case "waits":
//			return jsonscan.Read("herd", "waits", value, &o.Waits)
//		}
//		return jsonscan.Unknown("herd", key, "clients, waits")
//	})
//
// What it accepts is, byte for byte, what encoding/json accepts when it decodes into a map[string]json.RawMessage: the
// grammar of RFC 8259, containers nested at most MaxDepth deep, and of two equal keys the last one counts (keys are equal
// after unescaping). Strings decode as there: invalid UTF-8 and half a surrogate pair become U+FFFD. Numbers are read by
// strconv, so a float is the nearest float64 and an integer is exact or refused. A differential fuzz test holds the two
// together.
//
// Three layers, each usable alone:
//
//	Skip            the end of the value at an offset: the validator, in one loop without recursion up to 64 levels
//	Fields          an iterator over one object's fields; the general lane for log records
//	Object, Array   visitors with good errors for options, and Read, which decodes a value into a Go variable
//
// Shapes spares the scan where records look alike; its user's loop (connlog's lane, compat's fast) takes the time then. By
// samples over compact lines: the loop 34 % (43 % of the reader's own), the mask for secrets 20 %, of which looking at the
// client's text 8 %, clearing the event 5 %, accounting of the record 4 %, and looking for the end of plain text 4 %. Where
// every record is of a shape of its own, the loop is 45 %, timestamps in odd forms 12 %, and Plain and SkipText 6 %.
//
// An error is a *fault.Error with the code BadSyntax and the offset at which the text stopped being JSON.
package jsonscan
