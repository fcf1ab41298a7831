package jsonscan_test

import (
	"fmt"

	"github.com/stormlint/stormlint/core/jsonscan"
)

func ExampleObject() {
	var clients int
	var waits []float64
	read := func(text string) error {
		return jsonscan.Object([]byte(text), func(key, value []byte) error {
			switch string(key) {
			case "clients":
				return jsonscan.Read("herd", "clients", value, &clients)
			case "waits":
				return jsonscan.Read("herd", "waits", value, &waits)
			}
			return jsonscan.Unknown("herd", key, "clients, waits")
		})
	}
	fmt.Println(read(`{"clients": 100, "waits": [1, 2.5]}`), clients, waits)
	fmt.Println(read(`{"clients": 1.5}`))
	fmt.Println(read(`{"client": 1}`))
	fmt.Println(read(`{"clients": 1,}`))
	// Output:
	// <nil> 100 [1 2.5]
	// herd: clients is 1.5, expected a whole number
	// herd: unknown key: client, expected one of clients, waits
	// jsonscan: not valid JSON at byte 14: }
}
