// Package order sorts the short lists of a report with little code.
//
// slices.SortFunc is compiled anew for every type it sorts, 12 KB of code each, 400 KB in a module that a page downloads. By
// sorts numbers of places in one function for all types and moves the elements afterwards; what is compiled per type is the
// moving alone. It is stable, and about as quick as slices.SortStableFunc; where lists are long and many (a client's events,
// the rows of a table) the packages use slices.
package order

// By sorts a list; equal elements keep their order. compare is below zero when a comes before b.
func By[T any](list []T, compare func(a, b T) int) {
	if len(list) < 2 {
		return
	}
	places := sorted(len(list), func(i, j int32) bool { return compare(list[i], list[j]) > 0 })
	for i := range places { // along each cycle of places; a place that is done leads to itself
		for first, at := list[i], int32(i); ; {
			from := places[at]
			places[at] = at
			if from == int32(i) {
				list[at] = first
				break
			}
			list[at] = list[from]
			at = from
		}
	}
}

// Insert puts v at place i, 0 to the length of the list.
func Insert[T any](list []T, i int, v T) []T {
	list = append(list, v)
	copy(list[i+1:], list[i:])
	list[i] = v
	return list
}

// sorted is the places 0 to n−1 in order, merged from runs that double; after says that the element at i belongs after that
// at j.
func sorted(n int, after func(i, j int32) bool) []int32 {
	from, to := make([]int32, n), make([]int32, n)
	for i := range from {
		from[i] = int32(i)
	}
	for width := 1; width < n; width *= 2 {
		for low := 0; low < n; low += 2 * width {
			middle, high := min(low+width, n), min(low+2*width, n)
			i, j := low, middle
			for k := low; k < high; k++ {
				if j == high || i < middle && !after(from[i], from[j]) {
					to[k] = from[i]
					i++
				} else {
					to[k] = from[j]
					j++
				}
			}
		}
		from, to = to, from
	}
	return from
}
