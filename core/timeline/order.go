package timeline

import "slices"

// mostRuns is how many stretches in order are merged one after the other; a history of more is sorted.
const mostRuns = 8

// order puts list[from:] into the total order of a client's events. Most logs have it already; what several workers have read
// in turn is as many stretches in order, one behind the other, which are merged by way of the room behind the list.
func (t *Table) order(list []Moment, from int) []Moment {
	var begins [mostRuns]int
	runs := 0
	for i := from + 1; i < len(list); i++ {
		if !t.precedes(&list[i], &list[i-1]) {
			continue
		}
		if runs == mostRuns {
			slices.SortFunc(list[from:], func(a, b Moment) int { return t.earlier(&a, &b) })
			return list
		}
		begins[runs] = i
		runs++
	}
	for k := range runs {
		end := len(list)
		if k+1 < runs {
			end = begins[k+1]
		}
		list = t.weave(list, from, begins[k], end)
	}
	return list
}

func (t *Table) precedes(a, b *Moment) bool {
	return a.Time < b.Time || a.Time == b.Time && t.earlier(a, b) < 0
}

// weave makes one stretch in order of list[from:middle] and list[middle:end].
func (t *Table) weave(list []Moment, from, middle, end int) []Moment {
	for from < middle && !t.precedes(&list[middle], &list[from]) {
		from++
	}
	n := middle - from
	list = slices.Grow(list, n)
	left := list[len(list) : len(list)+n]
	copy(left, list[from:middle])
	for len(left) > 0 && middle < end {
		if t.precedes(&list[middle], &left[0]) {
			list[from] = list[middle]
			middle++
		} else {
			list[from] = left[0]
			left = left[1:]
		}
		from++
	}
	copy(list[from:], left)
	return list
}
