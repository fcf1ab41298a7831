package backoff

// Linear adds the base once an attempt: c = base·n, up to the cap.
//
//	linear:1s:30s    1, 2, 3, 4, 5 … 30, 30 s
//
// Found in ioredis 5 (50 ms, to 2 s) and in Slack's socket mode client (5 s, no cap). It grows, but clients that fall
// together still come back together.
const Linear Growth = "linear"
