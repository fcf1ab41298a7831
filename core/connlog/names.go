package connlog

var (
	outcomeNames   = [...]string{"", "ok", "refused", "limited", "upstream", "aborted", "tls"}
	partyNames     = [...]string{"", "client", "server", "proxy_timeout", "proxy", "takeover"}
	timeNames      = [...]string{"", "printed_start", "printed_end", "end_minus_duration", "start_plus_duration", "wrapper"}
	clientNames    = [...]string{"", "peer", "forwarded", "header", "proxy_protocol"}
	transportNames = [...]string{"", "ws", "h2ws", "polling", "sse", "mqtt"}
)

// String is the word of our own form; "" for the unknown.
func (o Outcome) String() string { return name(outcomeNames[:], int(o)) }

// String is the word of our own form; "" for the unknown.
func (p Party) String() string { return name(partyNames[:], int(p)) }

// String is the word of our own form; "" for the unknown.
func (t TimeSource) String() string { return name(timeNames[:], int(t)) }

// String is the word of our own form; "" for the unknown.
func (c ClientSource) String() string { return name(clientNames[:], int(c)) }

// String is the word of our own form; "" for the unknown.
func (t Transport) String() string { return name(transportNames[:], int(t)) }

// String is "attempt" or "close".
func (k Kind) String() string {
	if k == Close {
		return "close"
	}
	return "attempt"
}

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

// index is the place of a word in names, 0 where it is none of them.
func index(names []string, word []byte) uint8 {
	for i, s := range names {
		if i > 0 && s == string(word) {
			return uint8(i)
		}
	}
	return 0
}
