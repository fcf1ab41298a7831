package finding

// jitterRules are about jitter that is there and does too little.
var jitterRules = []Rule{
	{
		ID: "weak-jitter", Severity: Medium,
		Title:     "weak jitter",
		Lesson:    "A spread of ± 20 % keeps most of a wave together: for 100,000 clients at 1,000 a second the first wave of gRPC's schedule is 251 times the capacity, of full jitter 148, of a window as wide as needed 1.3.",
		Moves:     "info where the first wave is at least 3 s wide and the arrivals never come closer again: the spread is made once and kept",
		Threshold: "(longest - shortest)/longest is below 0.45 at more than half of the attempts up to the plateau; equal jitter has 0.5. From observed runs the range is corrected for their number and must be clearly below",
		Fix:       "draw from a wider part of the ceiling, from 0 (full jitter) if a short wait does no harm",
	},
	{
		ID: "additive-constant", Severity: Medium,
		Title:     "jitter of constant size beside growing waits",
		Lesson:    "A draw of up to one second beside a wait of 30 s is a wave one second wide: the more the schedule backs off, the less it spreads.",
		Threshold: "the waits grow, the width of their range does not, and at the plateau it is below a tenth of the wait",
		Fix:       "let the draw be a share of the wait, not a number of milliseconds",
	},
	{
		ID: "clamp-after-jitter", Severity: Low,
		Title:     "jitter lost at the cap",
		Lesson:    "The wait is drawn first and cut to the cap afterwards, so all that would have been longer sits on exactly the cap. At Socket.IO's defaults 30, 90 and 100 % of the clients wait exactly 5 s at the second, third and fourth retry, and stay together from then on.",
		Moves:     "medium above 60 %; high if the spread there falls under half of what it was and the first wave is narrower than 3 s",
		Threshold: "a spread of at least 0.1 before the cap, and more than 20 % of the clients on exactly the cap at one attempt; decorrelated jitter has 33 to 49 % by design",
		Fix:       "cap the ceiling first, then draw below it",
	},
	{
		ID: "point-mass", Severity: Medium,
		Title:     "many clients on one value",
		Lesson:    "A range that is cut at its lower end, or a rounding, puts a share of the clients onto one instant; they form a wave inside the spread.",
		Moves:     "info where the first wave is at least 3 s wide and the arrivals never come closer again",
		Threshold: "more than 20 % on one value, other than 0 and the cap, at an attempt whose waits are drawn",
		Fix:       "draw from the range that is allowed instead of cutting the draw to it",
	},
	{
		ID: "quantised", Severity: Medium,
		Title:     "a few values only",
		Lesson:    "Whole seconds, or a short list: the wave becomes as many waves as there are values.",
		Moves:     "info where the first wave is at least 3 s wide and the arrivals never come closer again",
		Threshold: "at most 8 different waits at an attempt whose waits are drawn",
		Fix:       "draw in milliseconds, and convert to the timer's unit without rounding to seconds",
	},
	{
		ID: "drawn-once", Severity: Low,
		Title:     "one random number for the whole schedule",
		Lesson:    "The clients are spread once, which is what counts; they are not spread again, and a later outage repeats the same sequence. Where several connections share the draw (a page, a process) they march in step.",
		Threshold: "the waits of a run are one draw times a fixed sequence, or only the first wait is drawn and it is narrower than the waits that follow",
		Fix:       "draw anew at each disconnect; drawing at each attempt is not needed when the first wave is as wide as the later waits are long",
	},
}
