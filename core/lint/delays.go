package lint

import (
	"bytes"
	"math"
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/lapse"
)

const delayForm = "a number of milliseconds, such as 1000 or 12.5"

const runsKeys = "scenario, runs, resolution_ms, hint_ms, held_ms, endings, parallel, far, clients, seed"

// Read reads delays as a test suite of any language writes them, in milliseconds:
//
//	[[1000,2000,4000],[1100,1900,4300]]                a run each
//	[1000,2000,4000]                                   one run
//	{"scenario":"refused","runs":[[1000,2000]]}        with what was done to the client; or an array of such objects
//	1000,2000,4000                                     CSV, a run a line; comma, semicolon, tab or blank between
//
// Beside scenario and runs an object may hold resolution_ms, hint_ms, held_ms (runs of how long hung attempts were waited
// for), endings (a word a run: observed, gave-up, not-observed), parallel (the most connections at once), far (what a
// schedule answers far out: {"attempt":1016,"delay_ms":0}, or with "fault":"not a number" instead of a delay), and, for
// the reader's sake only, clients and seed.
func Read(data []byte) ([]Runs, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) == 0 {
		return nil, &fault.Error{Code: fault.Unreadable, Package: "lint", Message: "no delays", Expected: "runs as JSON or CSV, in milliseconds"}
	}
	if data[0] != '[' && data[0] != '{' {
		return readCSV(data)
	}
	if err := jsonscan.Check(data); err != nil {
		return nil, err
	}
	if data[0] == '{' {
		r, err := readObject(data, "")
		return []Runs{r}, err
	}
	var list []Runs
	var bare Runs
	var flat []lapse.Duration
	kind := jsonscan.None
	err := jsonscan.Array(data, func(i int, value []byte) error {
		this := jsonscan.KindOf(value)
		if kind == jsonscan.None {
			kind = this
		}
		place := "[" + strconv.Itoa(i) + "]"
		if this != kind {
			return fault.Value("lint", "delays"+place, jsonscan.Sample(value), "the same kind as the first element")
		}
		switch this {
		case jsonscan.List:
			run, err := readRun("delays"+place, value)
			bare.Delays = append(bare.Delays, run)
			return err
		case jsonscan.Map:
			r, err := readObject(value, place)
			list = append(list, r)
			return err
		default:
			d, err := readDelay("delays"+place, value)
			flat = append(flat, d)
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	if flat != nil {
		bare.Delays = [][]lapse.Duration{flat}
	}
	if bare.Delays != nil {
		list = append(list, bare)
	}
	if list == nil {
		return nil, &fault.Error{Code: fault.Unreadable, Package: "lint", Message: "no runs", Expected: "at least one run with one delay"}
	}
	return list, nil
}

func readObject(data []byte, place string) (r Runs, err error) {
	hasRuns := false
	err = jsonscan.Once("lint", data, func(key, value []byte) error {
		name := place + string(key)
		if place != "" {
			name = place + "." + string(key)
		}
		var err error
		switch string(key) {
		case "scenario":
			err = jsonscan.Read("lint", name, value, &r.Scenario)
		case "runs":
			hasRuns = true
			r.Delays, err = readRuns(name, value)
		case "held_ms":
			r.Held, err = readRuns(name, value)
		case "resolution_ms":
			r.Resolution, err = readDelay(name, value)
		case "hint_ms":
			r.Hint, err = readDelay(name, value)
		case "endings":
			err = jsonscan.Read("lint", name, value, &r.Endings)
			for i, word := range r.Endings {
				if word != "observed" && word != gaveUp && word != notObserved {
					return fault.Value("lint", name+"["+strconv.Itoa(i)+"]", strconv.Quote(word), "one of observed, gave-up, not-observed")
				}
			}
		case "parallel":
			err = jsonscan.Read("lint", name, value, &r.Parallel)
		case "far":
			r.Far, err = readFar(name, value)
		case "clients", "seed":
		default:
			return jsonscan.Unknown("lint", key, runsKeys)
		}
		return err
	})
	if err == nil && !hasRuns {
		err = &fault.Error{Code: fault.BadValue, Package: "lint", Field: place + "runs", Value: "absent", Expected: "an array of runs"}
	}
	return r, err
}

func readFar(field string, value []byte) (list []Far, err error) {
	if jsonscan.KindOf(value) != jsonscan.List {
		return nil, fault.Value("lint", field, jsonscan.Sample(value), "an array of answers")
	}
	err = jsonscan.Array(value, func(i int, v []byte) error {
		name := field + "[" + strconv.Itoa(i) + "]"
		if jsonscan.KindOf(v) != jsonscan.Map {
			return fault.Value("lint", name, jsonscan.Sample(v), `an answer such as {"attempt":1016,"delay_ms":0}`)
		}
		var f Far
		err := jsonscan.Object(v, func(key, value []byte) error {
			switch string(key) {
			case "attempt":
				return jsonscan.Read("lint", name+".attempt", value, &f.Attempt)
			case "delay_ms":
				var err error
				f.Delay, err = readDelay(name+".delay_ms", value)
				return err
			case "fault":
				return jsonscan.Read("lint", name+".fault", value, &f.Fault)
			}
			return jsonscan.Unknown("lint", key, "attempt, delay_ms, fault")
		})
		if err == nil && f.Attempt < 1 {
			err = fault.Value("lint", name+".attempt", strconv.Itoa(f.Attempt), "at least 1")
		}
		list = append(list, f)
		return err
	})
	return list, err
}

func readRuns(field string, value []byte) (list [][]lapse.Duration, err error) {
	if jsonscan.KindOf(value) != jsonscan.List {
		return nil, fault.Value("lint", field, jsonscan.Sample(value), "an array of runs")
	}
	err = jsonscan.Array(value, func(i int, v []byte) error {
		run, err := readRun(field+"["+strconv.Itoa(i)+"]", v)
		list = append(list, run)
		return err
	})
	return list, err
}

func readRun(field string, value []byte) ([]lapse.Duration, error) {
	if jsonscan.KindOf(value) != jsonscan.List {
		return nil, fault.Value("lint", field, jsonscan.Sample(value), "a run: an array of delays in milliseconds")
	}
	run := []lapse.Duration{}
	err := jsonscan.Array(value, func(i int, v []byte) error {
		d, err := readDelay(field+"["+strconv.Itoa(i)+"]", v)
		run = append(run, d)
		return err
	})
	return run, err
}

func readDelay(field string, value []byte) (lapse.Duration, error) {
	v, ok := jsonscan.Float(value)
	if !ok {
		return 0, fault.Value("lint", field, jsonscan.Sample(value), delayForm)
	}
	d, ok := duration(v)
	if !ok {
		return 0, fault.Value("lint", field, jsonscan.Sample(value), "at most 9000000000000 ms")
	}
	return d, nil
}

func duration(ms float64) (d lapse.Duration, ok bool) {
	ns := math.Floor(float64(ms*1e6) + 0.5)
	return lapse.Duration(ns), math.Abs(ns) <= 9e18
}

func readCSV(data []byte) ([]Runs, error) {
	var r Runs
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		words := bytes.FieldsFunc(line, func(c rune) bool { return c == ',' || c == ';' || c == '\t' || c == ' ' })
		run := make([]lapse.Duration, 0, len(words))
		var bad []byte
		for _, w := range words {
			v, err := strconv.ParseFloat(string(w), 64)
			d, ok := duration(v)
			if err != nil && v == 0 && len(run) == 0 && r.Delays == nil {
				run = nil // a header
				break
			}
			if err != nil || v != v || !ok {
				bad = w
				break
			}
			run = append(run, d)
		}
		if run == nil {
			continue
		}
		if bad != nil {
			return nil, &fault.Error{Code: fault.BadValue, Package: "lint", Line: int64(n), Field: "delay " + strconv.Itoa(len(run)+1), Value: jsonscan.Sample(bad), Expected: delayForm}
		}
		r.Delays = append(r.Delays, run)
	}
	if r.Delays == nil {
		return nil, &fault.Error{Code: fault.Unreadable, Package: "lint", Message: "no line holds delays", Expected: "a run a line, in milliseconds: 1000,2000,4000"}
	}
	return []Runs{r}, nil
}
