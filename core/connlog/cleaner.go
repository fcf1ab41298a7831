package connlog

// Cleaner takes out of events what must not be kept, as a Reader does with each that it hands out: queries, tokens in paths and
// in other text; in the place of a secret name stands a mask of its own (*** and eight digits of its hash). It serves who writes
// events that no reader has read. The zero Cleaner is ready; it remembers texts that need no mask.
type Cleaner struct{ grouping }

// Clean changes the event's texts, which are the batch's.
func (c *Cleaner) Clean(b *Batch, e *Event) { c.finish(b, e) }
