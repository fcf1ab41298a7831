package backoff

// List takes the waits from a table, the last one for ever: c = table[min(n, length)].
//
//	table:10ms,50ms,100ms,1s   0.01, 0.05, 0.1, 1, 1, 1 s
//
// Phoenix (2015) begins like this; SignalR has 0, 2, 10, 30 s and then gives up (attempts=4).
const List Growth = "table"
