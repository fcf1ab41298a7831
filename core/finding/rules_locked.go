package finding

// lockedRules are about clients that fall together and return together, every time.
var lockedRules = []Rule{
	{
		ID: "fixed-locked", Severity: High,
		Title:     "no jitter (fixed-locked)",
		Lesson:    "Clients that lose their connection together come back together, and after each refusal together again. A server that can take a part of them per wave needs as many waves as there are parts: 10,000 clients at 1,000 handshakes a second and half a second of queue need 20 waves.",
		Threshold: "arrivals of clients that start together stay within 5 % of the wait, or within 20 ms, at every attempt, and the waits grow by less than 1.1 a step: below that the network's own noise is wider than the schedule's",
		Fix:       "draw the first wait anywhere in a window as wide as clients divided by handshakes a second; any jitter that draws from 0 up to the ceiling does most of it",
	},
	{
		ID: "growth-locked", Severity: High,
		Title:     "no jitter (growth-locked)",
		Lesson:    "The waits grow, but by the same rule for all: the waves of a herd move apart and stay as tall as before. The usual test by variation of one client's waits calls this jittered, because growth varies. Measured: exponential backoff to 30 s without jitter needs 42 times as long as the server would.",
		Threshold: "as fixed-locked, with waits that grow by 1.1 a step or more, linearly or by a table",
		Fix:       "keep the growth and draw each wait from 0 up to the ceiling (full jitter), or at least draw the first one over a wide window",
	},
	{
		ID: "shared-seed", Severity: High,
		Title:     "the same random numbers in every client",
		Lesson:    "Each run looks jittered and all runs are alike: the generator is seeded with a constant, or drawn in one place for all. The herd stays together and every test of a single client passes.",
		Threshold: "runs equal to the millisecond, though no growth law fits them within 5 %: chance cannot do that",
		Fix:       "seed once per client from the system's randomness, never from a constant or from the time in seconds",
	},
	{
		ID: "resync", Severity: High,
		Title:     "clients that had spread fall into step again later",
		Lesson:    "Something pulls the clients back onto one instant: a shared clock (the next full minute), a common server hint, a clamp. The first wave is harmless and a later one is the whole fleet.",
		Threshold: "arrivals that were at least 250 ms apart come within 20 ms, or within a twentieth of what they were, at a later attempt: a sum of independent waits only widens",
		Fix:       "add a draw of the client's own after whatever aligns them",
	},
}
