package main

import (
	"testing"
	"time"
)

// The table says what package time says, every six hours of the years that logs can be from.
func TestZoneTable(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo"} {
		table, err := zoneTable(name)
		if err != nil {
			t.Fatal(err)
		}
		location, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		steps := table["steps"].([][2]int64)
		i := 0
		for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= 2100; at = at.Add(6 * time.Hour) {
			for i+1 < len(steps) && steps[i+1][0] <= at.Unix() {
				i++
			}
			if _, want := at.In(location).Zone(); steps[i][1] != int64(want) {
				t.Fatalf("%s at %s: offset %d, want %d", name, at, steps[i][1], want)
			}
		}
	}
	for _, name := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		if _, err := zoneTable(name); err == nil {
			t.Errorf("zone %q was accepted", name)
		}
	}
}
