//go:build wasm

// Command bare is a program without recover, as -traps wants it: what it works out, and the faults it makes when asked.
package main

func main() {}

type tree struct {
	left, right *tree
	value       int64
}

func (t *tree) insert(v int64) *tree {
	if t == nil {
		return &tree{value: v}
	}
	if v < t.value {
		t.left = t.left.insert(v)
	} else {
		t.right = t.right.insert(v)
	}
	return t
}

func (t *tree) sum() int64 {
	if t == nil {
		return 0
	}
	return t.left.sum()*3 + t.value + t.right.sum()
}

// deep needs n large frames, each of which is read again after the return.
func deep(n int) (total int64) {
	var frame [64]int64
	for i := range frame {
		frame[i] = int64(n * i)
	}
	if n > 0 {
		total = deep(n - 1)
	}
	for i := range frame {
		total += frame[i] % 7
	}
	return total
}

// work mixes trees, maps, garbage, floats, goroutines and a stack that grows into one number.
//
//go:wasmexport work
func work(seed int64) int64 {
	var root *tree
	x := uint32(seed)
	next := func() uint32 { x = x*1664525 + 1013904223; return x >> 8 }
	for range 20000 {
		root = root.insert(int64(next() % 5000))
	}
	counts := map[string]int64{}
	key := []byte("key 0000")
	for range 30000 {
		key[4+next()%4] = '0' + byte(next()%10)
		counts[string(key)] += int64(next())
	}
	total := root.sum() + deep(1000)
	for _, v := range counts {
		total += v * v
	}
	share := 0.0
	for i := range 1000 {
		share += float64(next()) / float64(i+1)
	}
	results := make(chan int64)
	for i := range 8 {
		go func() { results <- deep(100 * i) }()
	}
	for range 8 {
		total += <-results
	}
	return total ^ int64(share*1e6)
}

var (
	list    = []int64{1, 2, 3}
	words   = []string{"one", "two"}
	divisor int64
	boxes   = []any{int64(7), "text"}
	nowhere *tree
)

// fault does the thing that n says, on data that allows it where fine is 1.
//
//go:wasmexport fault
func fault(n, fine int32) int64 {
	switch n {
	case 0:
		return list[3-fine]
	case 1:
		return int64(len(list[3-fine : 2]))
	case 2:
		return 10 / (divisor + int64(fine))
	case 3:
		return int64(1) << (int64(fine) - 1)
	case 4:
		return boxes[1-fine].(int64)
	case 5:
		t := nowhere
		if fine == 1 {
			t = &tree{value: 5}
		}
		return t.value
	case 6:
		return int64(words[0][4-2*fine])
	case 7:
		return [3]int64(list[:2+fine])[2]
	case 8:
		if fine == 0 {
			panic("own")
		}
	}
	return 9
}
