// Package abi is the seam between the core and everyone who calls it: operations by name, requests and answers as
// bytes, one form of error, and streams that live behind handles.
//
// The same package answers natively (a Session, used by host/engine) and inside the module (an Instance, used by
// wasm/guest): the guest file moves numbers and nothing else, so all that can go wrong at the seam is tested natively.
//
// # Messages
//
// A request is one JSON object on one line, which may be empty, and, where the operation takes raw bytes too, a newline
// and those bytes:
//
//	{"format":"auto"}\n2026-11-30T00:00:00Z …
//
// An answer is bytes as the operation documents them, mostly one JSON value written by the core: nobody encodes it again,
// so it is the same everywhere. An error is one JSON object:
//
//	{"code":"bad-value","text":"backoff: cap is 0s, expected …","package":"backoff","message":"","source":"",
//	 "record":0,"line":0,"field":"cap","value":"0s","expected":"at least the base (1s)"}
//
// # The module's exports
//
//	abi_version() i32               Number, compared before anything else
//	reserve(n) ptr                  the one input buffer, of at least n bytes, valid until the next reserve; 0: n is too large
//	result_ptr() ptr                where the last answer or error lies, valid until the next call of any export but these two
//	result_len() i32                its length
//	call(op, n) status              the first op bytes of the input name the operation, the rest up to n is the request
//	open(op, n) handle              the same for a stream; 0: an error
//	feed(handle, n) status          n bytes of input; the result is what the stream answers at once, mostly nothing
//	state(handle) status            what the stream knows, as bytes that merge understands
//	merge(handle, n, more) status   the state of another part, in pieces: more is 0 with the last
//	progress(handle) status         {"records","between"}: records so far, and whether the part could end here
//	step(handle, budget) status     some of the work that is left, Again while there is more; the budget's unit is the stream's;
//	                                a long answer comes in pieces, one with each step
//	finish(handle) status           the answer, or its last piece; the stream can be asked (page, series, client) until it is closed
//	page(handle, n) status          a request: {"sort","filter","offset","n"}, {"output"} for the report in another form, {"options"} to judge anew
//	series(handle, n) status        a request: {"from","to","bin_ms"}
//	client(handle, n) status        a request: {"key"}
//	close(handle) status            frees the handle; it is never valid again
//
// A status is Done, Failed (the result is the error) or Again. Handles carry a generation, so a closed one is an error of
// code "closed" and never somebody else's stream. Bytes, lengths and handles from the other side are never trusted; a
// caller, in turn, treats an exit, a trap or a panic as the death of the instance.
package abi
