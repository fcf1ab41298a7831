package main

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// encode writes a request to the core. JSON has no NaN and no infinity, but flags have: they are refused by name.
func encode(request map[string]any) ([]byte, error) {
	line, err := json.Marshal(request)
	if unsupported := (*json.UnsupportedValueError)(nil); errors.As(err, &unsupported) {
		if name, value := infinite(request); name != "" {
			return nil, usage("--"+strings.ReplaceAll(name, "_", "-"), value, "a finite number")
		}
	}
	return line, err
}

// infinite finds a number that is none, and the name it stands under.
func infinite(request map[string]any) (name, value string) {
	for _, key := range slices.Sorted(maps.Keys(request)) {
		list, flag := []any{request[key]}, key
		if many, ok := request[key].([]map[string]any); ok {
			list, flag = list[:0], strings.TrimSuffix(key, "s") // a flag that may be repeated: drops of --drop
			for _, m := range many {
				list = append(list, m)
			}
		}
		for _, v := range list {
			switch v := v.(type) {
			case float64:
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return flag, strconv.FormatFloat(v, 'g', -1, 64)
				}
			case map[string]any:
				name, value := infinite(v)
				if name != "" && key == "options" {
					return name, value
				}
				if name != "" {
					return flag, value // the flag is the outer name: --door RATE
				}
			}
		}
	}
	return "", ""
}
