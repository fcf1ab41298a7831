package main

import (
	"time"
	_ "time/tzdata" // where the machine has no zones of its own

	"github.com/stormlint/stormlint/core/fault"
)

// zoneTable gives a zone in the form that the core takes: from which second on which offset holds. The core knows no
// zones, so that it is small and the same everywhere.
func zoneTable(name string) (map[string]any, error) {
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" || name == "" {
		return nil, fault.Value("analyze", "tz", name, "the name of a zone, such as Europe/Berlin")
	}
	type step = [2]int64
	first := time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)
	last := time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)
	var steps []step
	for t := first.In(location); t.Before(last); {
		if _, offset := t.Zone(); len(steps) == 0 || steps[len(steps)-1][1] != int64(offset) {
			steps = append(steps, step{t.Unix(), int64(offset)})
		}
		_, end := t.ZoneBounds()
		if end.IsZero() {
			break
		}
		if !end.After(t) { // package time says so on the last day of some years; a day later it knows better
			end = t.AddDate(0, 0, 1)
		}
		t = end.In(location)
	}
	return map[string]any{"name": name, "steps": steps}, nil
}
