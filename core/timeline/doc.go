// Package timeline keeps what happened to each client in few bytes, merges exactly, and tells it again in order: which
// sessions there were, how long they lived, and how long the client waited before it came back.
//
// # Keeping
//
// Events arrive in any order, in parts: byte ranges of one file, files of several gateways that interleave in time. A
// Table holds, for every client, the Limit smallest events by (time, source, part, record); what is larger has left only
// counts: how many events of each signature, and how many attempts in each minute. What is the smallest of a union is
// among the smallest of its pieces, so any split of the input and any order of merges gives the same table:
//
//	keep(A ∪ B) = keep(keep(A) ∪ keep(B))
//
// An event is stored as the number of its signature (kind, outcome, who closed, status, words), the distance in time to
// the client's previous event, and the distance in records; the rare rest follows when the signature says so. With ms
// stamps that is 5 bytes an event for 100 clients and 7 for 10,000, held in 5.4 and 10.1 bytes of chunks; a request id
// adds its 8 (BenchmarkAdd). A client has a row of 64 bytes, a line of the cache, and about 30 for its key and its place
// in the index. All in all, by the heap after reading: 15 bytes an event where 10,000 clients have 95 events each (1.4 KB a
// client), 148 bytes a client where 540,000 have two.
//
// Tables merge by their states, or, in one process, by Absorb, which leaves the other's chains where they are and costs what
// finding the clients costs.
//
// Where the time of adding goes, by samples at 10,000 clients, of all that reading a log takes: 10 % is Touch, which waits for
// chunks, 9 % Recognize, which waits for rows; AddTo itself 7 %, short 5 %, and for the events that are not short encode 3 %
// and copying into the chunk 2 %. What saved most: bytes that are put together in registers and stored eight at a time (short.go),
// a client's spelling in its row instead of a table of its own that knew 65,536 texts and forgot (spelling.go), a signature
// that is told from the last ones by four words in registers. Those three together took a sixth off all reading; encoding
// straight from fields had saved a tenth before: a literal, made beside its place and copied in other widths than it was written,
// made the processor wait for its own stores.
//
// # Telling
//
// History gives a client's events in their total order, duplicates of one request (two tiers of gateways, several lines
// a stream) dropped. Trace reads them as a story:
//
//	09:00:00.0 open      session 1
//	09:05:00.0 close     session 1 lived 300 s
//	09:05:01.0 refused   waited 1 s, first attempt of the episode
//	09:05:03.0 refused   waited 2 s, second
//	09:05:07.1 open      waited 4.1 s, third; the episode ends
//
// An attempt while a session is open and no wait is due is a second connection of the same key (two tabs, two loops, two
// devices with one identity, many clients behind one address) and gets no wait: it is not a short delay.
package timeline
