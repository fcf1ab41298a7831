package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestSaidAndEmpty: a flag that was given and says nothing, or a zero that cannot be meant, is refused by its name, its
// value and its range, and not taken for a flag that was left out.
func TestSaidAndEmpty(t *testing.T) {
	for line, want := range map[string]string{
		"analyze --sample --capacity 0":                                              "analyze: capacity is 0, expected above 0",
		"analyze --sample --path=":                                                   "--path is empty, expected P",
		"analyze --sample --group-by=":                                               "--group-by is empty, expected KEY",
		"analyze --sample --tz=":                                                     "--tz is empty, expected ZONE",
		"analyze --sample --protocol=":                                               "--protocol is empty, expected NAME",
		"analyze --sample --map x=y":                                                 `abi: map is "x=y", expected one of these before the =: time, start, end, client`,
		"analyze --sample --top=-2":                                                  "analyze: top is -2, expected a number of clients, 0 for 100, -1 for all",
		"analyze --sample --threshold=-1":                                            "analyze: threshold is -1, expected attempts a minute, 0 for 60",
		"analyze --sample --evaluated-at 2026-11-30T10:00:00Z":                       "--evaluated-at is given without --compat",
		"analyze --sample --since 2026-11-30T11:00:00Z --until 2026-11-30T10:00:00Z": "analyze: until is 2026-11-30T10:00:00.000Z, expected an instant after since, 2026-11-30T11:00:00.000Z",
		"lint --policy full:1s:30s --clients 0 --capacity 9":                         "lint: clients is 0, expected between 1",
		"lint --policy full:1s:30s --clients 9 --capacity 0":                         "lint: capacity is 0, expected above 0",
		"lint --policy=":                                                             "--policy is empty, expected SPEC",
		`lint --policy {"family":"full"}`:                                            "backoff: unknown key: family, expected one of policy, base_ms",
		"storm --clients -3":                                                         "storm: clients is -3, expected 1 to 100,000",
		"storm --max-rate -5":                                                        "--max-rate is -5, expected above 0",
		"storm --capacity -1":                                                        "gateway: capacity is -1, expected 0 (no limit) to 1,000,000",
		"storm --timeout -5s":                                                        "--timeout is -5s, expected a positive duration",
		"gateway --drop-at -1s":                                                      "gateway: drop at is -1s, expected at least 0",
		"analyze --parallel -1 x":                                                    "--parallel is -1, expected a number of workers",
		`lint --policy {"base_ms":1000}`:                                             "backoff: policy is missing",
	} {
		var stdout, stderr bytes.Buffer
		code := run(nil, &stdout, &stderr, strings.Fields(line))
		if code != exitBad || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "stormlint: "+want) {
			t.Errorf("%s: exit %d, %s%.300s", line, code, stderr.String(), stdout.String())
		}
	}
}
