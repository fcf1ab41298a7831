package backoff_test

import (
	"fmt"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/stat"
)

func Example() {
	p, err := backoff.Parse("full:1s:30s,attempts=3")
	if err != nil {
		panic(err)
	}
	const seed, client = 1, 0
	for attempt := 1; ; attempt++ {
		d, ok := p.Delay(backoff.State{Attempt: attempt}, stat.Draw(seed, client, p.DrawAttempt(attempt)))
		if !ok {
			break
		}
		fmt.Println(attempt, d.Milliseconds(), "ms")
	}
	// Output:
	// 1 21 ms
	// 2 1510 ms
	// 3 1010 ms
}

func ExampleParse() {
	for _, spec := range []string{"lib:grpc-go", `{"policy":"full","base_ms":1000,"cap_ms":30000,"first_ms":[0,5000]}`, "full:30s:1s", "lib:grpc"} {
		p, err := backoff.Parse(spec)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(p)
	}
	// Output:
	// prop:1.6s:120s:1.6:0.2,first=1s,reset=message
	// full:1s:30s,first=U5s
	// backoff: cap is 1s, expected none, or at least the base (30s)
	// backoff: unknown library: "grpc", expected a name of the catalogue, near it: grpc-go
}
