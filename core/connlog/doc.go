// Package connlog reads logs of WebSocket connections into events.
//
// A log says, in its own way, two things about a client: it tried (an Attempt, with an outcome) and its session ended (a
// Close). One line may say one of them, both or neither; most gateways write one line when a session ends, and only their
// format tells whether its stamp is the beginning or the end. That knowledge lives in the formats; this package holds
// what they share:
//
//	Sniff     looks at an input's head and decides once, for all parts of it, how it is read: a Plan
//	Reader    takes one part in chunks cut anywhere and gives batches of events; its Counts account for every record
//	Boundary  moves a cut to the next record boundary, so that parts can be read side by side
//	Format    reads one record of one kind of log; Base reads the base form and Append writes it
//	Wrapper   peels a container runtime's or a collector's layer off a record
//	Mask      takes secrets out of a sample
//
// A record is a line, or an element of a JSON array. One that cannot be read is counted under a reason with a masked
// sample, and reading goes on: Records = Used + Ignored + Skipped, always. Reading any split of an input at boundaries
// gives the events and the counts of the whole; a test cuts hostile inputs at random and compares.
//
// Logs are hostile and private. A record longer than the plan's limit is passed over without being kept. Queries,
// cookies, credentials and tokens do not leave this package: paths lose their query and what looks like a token. A
// sample of a text line keeps the line's shape and not its words: punctuation, numbers, stamps, addresses and the words that
// logs are made of stay, every other word is ***, and after the name of a secret or a person numbers are too. A sample of JSON
// keeps a value that parses as its field's kind; of a record with NULs, only the size is told.
package connlog
