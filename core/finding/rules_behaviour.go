package finding

// behaviourRules are about what a client does around its waits; most need a run under a scenario to be seen.
var behaviourRules = []Rule{
	{
		ID: "early-reset", Severity: High,
		Title:     "the backoff starts again as soon as a connection opens",
		Lesson:    "A server that accepts and then drops (overload, a bad deploy, a refused login) is hit at the first wait for ever: accepted is not served. Measured on a client with a 10 ms first wait: 100 connections a second from each client.",
		Threshold: "the policy says reset=open, or a run of openings that are dropped at once shows waits that do not grow",
		Fix:       "count from the beginning only after the connection has lasted (5 s or more), or after a first message that proves it is served",
	},
	{
		ID: "never-resets", Severity: Medium,
		Title:     "the backoff is never reset",
		Lesson:    "After a long good session the client waits as if the last outage had not ended: a blip costs the user the longest wait.",
		Threshold: "the first wait after a long session is above twice the first wait of a fresh client, and above 1 s",
		Fix:       "count from the beginning after a connection that has lasted",
	},
	{
		ID: "retry-fatal", Severity: Medium,
		Title:     "it retries what cannot succeed",
		Lesson:    "Refused for policy or for its credentials (close 1008, 4000 to 4099, HTTP 401 and 403), the same client will be refused again. Discord resets the token of a client that insists.",
		Threshold: "more than two attempts after a refusal that says so",
		Fix:       "stop, or take a slow path with new credentials",
	},
	{
		ID: "hint-ignored", Severity: Medium,
		Title:     "the server's wait is not kept",
		Lesson:    "Retry-After, the retry field of an event stream or a close reason is the only way for a server to ask for room. A client that keeps it exactly is in step with all the others, so it should add a draw of its own.",
		Threshold: "a wait below the hint, or waits after one hint that are equal to within 20 ms in all runs",
		Fix:       "wait the hint plus a draw over the first window",
	},
	{
		ID: "parallel-loops", Severity: High,
		Title:     "two reconnect loops in one client",
		Lesson:    "Two timers that do not know each other (a close handler and a watchdog) double the fleet, and race.",
		Threshold: "an attempt begins while another is still open",
		Fix:       "one scheduler; cancel the old timer and the old socket before a new attempt",
	},
	{
		ID: "wake-bypass", Severity: Medium,
		Title:     "waking up goes round the backoff",
		Lesson:    "online, visibilitychange and pageshow fire for many clients in one instant, when a network or a region comes back. An attempt that starts there at once is the herd the backoff was to avoid.",
		Threshold: "the wait after a wake-up is at most 20 ms",
		Fix:       "draw the wait after a wake-up as after a disconnect",
	},
	{
		ID: "bad-timeout", Severity: High,
		Title:     "no timeout for connecting, or one too short",
		Lesson:    "Without one a hung handshake holds the client for ever. With one shorter than the server's queue the server works for clients that have already left, and never catches up.",
		Threshold: "a hung attempt is still waited for after 2 minutes, or given up in under 1 s; with clients and capacity the right figure is the backlog's time plus a handshake",
		Fix:       "10 to 20 s, from the time that one handshake in a thousand exceeds",
	},
	{
		ID: "budget-exceeded", Severity: High,
		Title:     "more attempts a day than allowed",
		Lesson:    "Some services count session starts and cut off who exceeds them (Discord: 1,000 a day, then a new token).",
		Threshold: "the mean schedule of an outage of one day makes more attempts than --budget",
		Fix:       "a longer cap; the attempts of a day are 86,400 s divided by the mean wait at the cap",
	},
	{
		ID: "not-observed", Severity: High,
		Title:     "too little was observed to judge",
		Lesson:    "A test that saw no attempts has not seen a good client; it has seen a client that uses another socket, another timer, or that needed longer.",
		Threshold: "fewer than five attempts while the client was still meant to retry; a client that gives up by itself is judged on what it did",
		Fix:       "make the client dial through the kit's network and keep it running until the scenario ends",
	},
}
