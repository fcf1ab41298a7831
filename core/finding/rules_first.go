package finding

// firstWaveRules are about the first wait, which is the one that meets the whole fleet.
var firstWaveRules = []Rule{
	{
		ID: "immediate-retry", Severity: High,
		Title:     "the first retry comes at once",
		Lesson:    "When a server restarts, all its clients are back before it can answer, and each refusal costs it work. With a rejection at a tenth of a handshake's cost such a fleet may never recover.",
		Moves:     "critical if the next two waits are at most 100 ms as well",
		Threshold: "the first wait is at most 20 ms: less than a round trip, so no wait at all",
		Fix:       "wait before the first retry too, drawn over at least a second; the user will not notice, the server will",
	},
	{
		ID: "zero-delay", Severity: High,
		Title:     "a wait of zero",
		Lesson:    "A share of the clients does not wait at all. Where that can repeat it is a hot loop.",
		Moves:     "info for a continuous range that begins at 0, where only a few clients draw almost nothing",
		Threshold: "zero has a share of its own among the waits of one attempt",
		Fix:       "give the wait a floor, such as 100 ms, below the draw",
	},
	{
		ID: "narrow-first-delay", Severity: Info,
		Title:     "a narrow first wave",
		Lesson:    "The first wait decides how tall the first wave is: clients divided by its width. The WebSocket standard advises 0 to 5 s, XMPP 0 to 60 s.",
		Moves:     "medium below 250 ms or without any jitter; with clients and capacity given, medium below N/C and high below a tenth of it (a wave ten times the capacity), and nothing above",
		Threshold: "the first wait is drawn over less than 5 s, RFC 6455's figure (7.2.3)",
		Fix:       "draw the first wait over clients divided by handshakes a second, with a quarter more",
	},
}
