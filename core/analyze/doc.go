// Package analyze turns a log, fed in pieces, into a report: it reads events, keeps a timeline for every client, and says
// at the end what happened.
//
//	a, err := analyze.New(options, plan, catalogue, analyze.Part{Name: "access.log"})
//	a.Feed(chunk) …                 the input in chunks cut anywhere
//	state, err := a.State()         what a part knows; or
//	report, err := a.Finish()       the summary and the gravest clients; then
//	a.Page, a.Series, a.Client      the rest, piece by piece
//
// An input may be cut into parts at record boundaries (connlog.Boundary), read by as many analyzers and merged in any
// order: the report is the same, byte for byte, because nothing in it depends on the order of reading. So it is with the
// files of several gateways that interleave in time.
//
//	whole:   Feed(A+B+C)                                          ─┐
//	parts:   Feed(C) → State ─┐                                    ├─ the same report
//	         Feed(A) → Merge(C), Merge(B's state)                 ─┘
//
// Every record is accounted for: used, ignored as not about WebSockets, or skipped under a reason with its first record
// and a masked sample of it. What the kind of log cannot show stands in the report's blind spots.
//
// Where the time of Feed goes, by samples over a log in the base form with 10,000 clients: 29 % the reader's fast lane and 8 % its
// mask for secrets (connlog), 27 % before each batch, when clients are recognised by the text of their column and their rows
// and chunks are touched for all at once (foresee), 31 % making the event's signature and writing it into its client's chain,
// 5 % the accounting of add. It costs three to four times the compat path, whose client is one line of the cache where a
// timeline's is two, the row and the chunk, beside the place of its spelling.
//
// The compat mode (see Compat) is the original prototype's rule, apart from all this.
package analyze
