package connlog

import (
	"cmp"
	"slices"

	"github.com/stormlint/stormlint/core/order"
)

// Counts accounts for every record: Records = Used + Ignored + the sum of Skipped. Nothing is lost silently.
type Counts struct {
	Records int64
	Used    int64
	Ignored int64
	Skipped []Skip // by reason, in alphabetical order
	Lines   int64  // line ends passed
	Bytes   int64  // of input
	Unread  int64  // of those, bytes in records that were skipped; a joined record counts with its last piece
}

// Skip is one reason for which records were skipped.
type Skip struct {
	Reason Reason
	Count  int64
	First  int64  // the first such record, counted from 0 in its part
	Line   int64  // its line, counted from 0 in its part
	Sample string // the first such record, cut and masked
}

// add counts one record; sample is called for the first record of a reason.
func (c *Counts) add(why Reason, line int64, sample func() string) {
	c.Records++
	switch why {
	case Used:
		c.Used++
		return
	case Ignored:
		c.Ignored++
		return
	}
	i, found := slices.BinarySearchFunc(c.Skipped, why, func(s Skip, r Reason) int { return cmp.Compare(s.Reason, r) })
	if !found {
		c.Skipped = order.Insert(c.Skipped, i, Skip{Reason: why, First: c.Records - 1, Line: line, Sample: sample()})
	}
	c.Skipped[i].Count++
}

// Follow adds the counts of the part that comes next in the same input; the first record of a reason stays the earliest.
func (c *Counts) Follow(next *Counts) {
	for _, s := range next.Skipped {
		i, found := slices.BinarySearchFunc(c.Skipped, s.Reason, func(s Skip, r Reason) int { return cmp.Compare(s.Reason, r) })
		if found {
			c.Skipped[i].Count += s.Count
			continue
		}
		s.First += c.Records
		s.Line += c.Lines
		c.Skipped = order.Insert(c.Skipped, i, s)
	}
	c.Records += next.Records
	c.Used += next.Used
	c.Ignored += next.Ignored
	c.Lines += next.Lines
	c.Bytes += next.Bytes
	c.Unread += next.Unread
}
