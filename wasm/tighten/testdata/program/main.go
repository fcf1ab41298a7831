// A program that uses what rewriting could break: goroutines and a stack that grows (functions are left and entered again in
// the middle), panics that are recovered, defers, maps, garbage, loops with jumps in both directions, floats, switches.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
)

type tree struct {
	left, right *tree
	value       int
}

func (t *tree) insert(v int) *tree {
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

func (t *tree) sum() int {
	if t == nil {
		return 0
	}
	return t.left.sum() + t.value + t.right.sum()
}

// deep needs n large frames, each of which is read again after the return.
func deep(n int) (total int) {
	var frame [64]int
	for i := range frame {
		frame[i] = n * i
	}
	if n > 0 {
		total = deep(n - 1)
	}
	for i := range frame {
		total += frame[i] % 7
	}
	return total
}

func caught(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint("caught: ", v)
		}
	}()
	f()
	return "nothing"
}

// unwound panics through frames that defer, recover, panic again and wait for goroutines, some of them in a loop.
func unwound(n int, to chan int) (said []string, left int) {
	defer func() {
		left = n - len(said)
		if v := recover(); v != nil {
			said = append(said, fmt.Sprint("outer: ", v))
		}
	}()
	for i := range n {
		func() {
			defer func() { to <- <-to + i }()
			defer func() {
				if v := recover(); v != nil {
					said = append(said, fmt.Sprint(v))
					if i == n-1 {
						panic("again")
					}
				}
			}()
			for k := range 3 {
				defer func() { said[len(said)-1] += fmt.Sprint(k) }()
			}
			said = append(said, "")
			if i%2 == 1 {
				var none *tree
				none.value = deep(20 * i)
			}
		}()
	}
	return said, -1
}

func words(s string) (n int) {
	inside := false
outer:
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\n':
			inside = false
		case c == '#':
			for ; i < len(s); i++ {
				if s[i] == '\n' {
					inside = false
					continue outer
				}
			}
			break outer
		default:
			if !inside {
				n++
			}
			inside = true
		}
	}
	return n
}

func many() (a, b, c, d, e int, f string, g float64) { return 1, 2, 3, 4, 5, "six", 7.5 }

func main() {
	var root *tree
	x := uint32(1)
	for range 20000 {
		x = x*1664525 + 1013904223
		root = root.insert(int(x >> 8 % 5000))
	}
	fmt.Println("tree", root.sum())
	fmt.Println("deep", deep(5000))

	var group sync.WaitGroup
	results := make(chan int, 4)
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			results <- deep(100*i) % 1000
		}()
	}
	go func() { group.Wait(); close(results) }()
	total := 0
	for r := range results {
		total += r
	}
	fmt.Println("goroutines", total)

	var empty []int
	var none *tree
	var nothing any = "text"
	fmt.Println(caught(func() { _ = empty[len(os.Args)+2] }))
	fmt.Println(caught(func() { none.value++ }))
	fmt.Println(caught(func() { _ = nothing.(int) }))
	fmt.Println(caught(func() { panic(errors.New("own")) }))
	fmt.Println(caught(func() { fmt.Print() }))

	to := make(chan int)
	go func() {
		for i := 0; ; i += <-to {
			to <- i
		}
	}()
	fmt.Println(unwound(5, to))
	fmt.Println(unwound(6, to))
	fmt.Println("passed on", <-to)

	counts := map[string]int{}
	for i := range 30000 {
		counts[strings.Repeat("k", i%17)+fmt.Sprint(i%1000)] += i
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println("map", len(keys), keys[0], counts[keys[len(keys)/2]])
	numbers := make([]float64, 10000)
	for i := range numbers {
		x = x*1664525 + 1013904223
		numbers[i] = float64(x) / 3
	}
	slices.Sort(numbers)
	fmt.Printf("floats %.6f %.6f\n", numbers[0], numbers[len(numbers)-1])
	fmt.Println("words", words("one two # three\nfour  five\n#"))
	fmt.Println(many())
}
