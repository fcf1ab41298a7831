package herd

// mark is the state of the books at one instant; the difference of two says what the server did between them.
type mark struct {
	ms                             int64
	out                            int64
	events                         int64
	useful, wasted, refusing, idle int64 // grains
}

const marks = 64

// mark writes the books down; it does so some 64 times a horizon, and once at the end.
func (r *Run) mark() {
	r.server.now(r.ms)
	v := &r.server
	r.marks = append(r.marks, mark{r.ms, r.out, r.events, v.useful, v.wasted, v.refusing, v.idle})
	r.nextMark = r.ms + max(1, r.end/marks)
}
