package finding

// growthRules are about how the waits grow, and where that ends.
var growthRules = []Rule{
	{
		ID: "no-growth", Severity: Medium,
		Title:     "the waits do not grow",
		Lesson:    "While a server is down or too slow, clients divided by the mean wait is the load that keeps it there. Without knowledge of the capacity only growth can find a load that the server bears.",
		Moves:     "info where the first wave is at least 3 s wide and the arrivals never come closer again: a wait as long as clients divided by handshakes a second needs no growth",
		Threshold: "geometric mean of the steps between mean waits, up to the plateau, below 1.1",
		Fix:       "multiply by 1.5 to 2 at each attempt up to a cap of some minutes, or state clients and capacity and take a window",
	},
	{
		ID: "cap-too-small", Severity: Low,
		Title:     "the longest wait is short",
		Lesson:    "In a long outage every client is at the cap, and clients divided by the cap is the load on whatever answers. Refusals cost, too: with a rejection at a tenth of a handshake, twice that load is a server that does nothing else.",
		Moves:     "with clients and capacity given: high if the mean wait at the cap is below N/C - 5 s or a fifth of N/C, where refusals or a stale queue can hold the server down for ever",
		Threshold: "growing waits with a cap below 10 s",
		Fix:       "let the waits grow to twice clients divided by handshakes a second, 30 s at least when that is not known",
	},
	{
		ID: "cap-missing", Severity: Low,
		Title:     "no cap, or a late one",
		Lesson:    "After a long outage the clients come back long after the server does: ten doublings from one second are half an hour. Measured: a cap of eight times N/C makes a recovery after 30 s of outage take as long.",
		Threshold: "no cap is set, or the longest wait is above 600 s, or the mean wait still grows at the eighth attempt",
		Fix:       "cap the wait at two to four times clients divided by handshakes a second; 30 s to 2 minutes when that is not known",
	},
	{
		ID: "overflow", Severity: Info,
		Title:     "the wait overflows",
		Lesson:    "The exponent outgrows the number or the timer: NaN, a negative or a wrapped wait fires at once, and so does a browser's timer beyond 2^31-1 ms. A long outage ends in a hot loop of the whole fleet.",
		Moves:     "by how long an outage must last to get there: critical below a day, high below 30 days, medium below a year",
		Threshold: "at attempts 1 to 1,100, 10,000, 100,000 and 2^31-1: not a number, negative, an exception, a fall to 0, or beyond the runtime's longest timer",
		Fix:       "limit the exponent before raising to its power, then cap the wait",
	},
	{
		ID: "gives-up", Severity: Info,
		Title:     "it gives up",
		Lesson:    "After the last attempt the client stays disconnected until somebody acts. An outage longer than the schedule leaves the fleet dead, and its users reload by hand, together.",
		Threshold: "the number of attempts is limited",
		Fix:       "go on at the cap, or say so to the user and let him retry",
	},
	{
		ID: "unbounded-attempts", Severity: Info,
		Title:     "it tries for ever",
		Lesson:    "Right for a client that is meant to come back; wrong where the cause cannot heal, such as a revoked token.",
		Threshold: "no limit on the number of attempts",
		Fix:       "stop at answers that cannot change, and stay at the cap otherwise",
	},
}
