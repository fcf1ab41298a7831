package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSimulate(t *testing.T) {
	golden(t, "simulate-articles", 0, "", "simulate", "-n", "2000", "-c", "200", "-p", "articles", "--horizon", "2m")
	golden(t, "simulate-outage-html", 0, "", "simulate", "-n", "500", "-c", "50", "-p", "full:1s:30s", "-p", "window:12.5s", "--outage", "10s", "-o", "html")
	golden(t, "simulate-json", 0, "", "simulate", "-n", "100", "-c", "50", "-p", "window:4s", "-o", "json")
	golden(t, "simulate-others", 0, "", "simulate", "-n", "1000", "-c", "100", "-p", "window:20s", "--others", "20%:fixed:1s", "--reject-cost", "0.05")
	golden(t, "simulate-restart", 0, "", "simulate", "-n", "1200", "-c", "100", "-p", "full:1s:30s", "--restart", "4:30s:10s:5s")
	golden(t, "simulate-door", 0, "", "simulate", "-n", "1000", "-c", "100", "-p", "full:1s:30s", "--door", "90:10", "--retry-after", "2s", "--retry-jitter", "10s", "--drop", "20s:50%")
	golden(t, "simulate-capacity-0", 2, "", "simulate", "-n", "10", "-c", "0", "-p", "fixed:1s")
	golden(t, "simulate-clients-negative", 2, "", "simulate", "-n", "-5", "-c", "10", "-p", "fixed:1s")
	golden(t, "simulate-descriptors", 2, "", "simulate", "-n", "2000", "-c", "10", "-p", "fixed:1s", "--fd-limit", "1024")
	golden(t, "simulate-no-policy", 2, "", "simulate", "-n", "10", "-c", "10")
	golden(t, "simulate-long-timer", 2, "", "simulate", "-n", "10", "-c", "10", "-p", "fixed:1s", "--timeout", "600h")
}

func TestRecommend(t *testing.T) {
	golden(t, "recommend", 0, "", "recommend", "-n", "50000", "-c", "2000")
	golden(t, "recommend-fixed", 0, "", "recommend", "-n", "5000", "-c", "200", "--clients-fixed", "full:1s:30s", "-o", "json")
	golden(t, "recommend-max-wait", 2, "", "recommend", "-n", "50000", "-c", "2000", "--max-wait", "20s")
	golden(t, "recommend-foreign", 2, "", "recommend", "-n", "100000", "-c", "1000", "--others", "20%:fixed:1s")
	golden(t, "recommend-nothing", 2, "", "recommend", "-n", "50000")
}

// A report of an analysis is enough to predict the next drop.
func TestFromReport(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.json")
	text := `{"schema":"stormlint/report/1","totals":{"clients":1000},"fleet":{"capacity_seen":80.5},"groups":[
		{"group":"old/1","clients":700,"schedule":{"verdict":"locked","policy":"fixed:5s"}},
		{"group":"new/2","clients":200,"schedule":{"verdict":"jittered","policy":"full:1s:30s"}},
		{"group":"odd","clients":100,"schedule":{"verdict":"undecided","policy":null}}],"clients":[]}`
	if err := os.WriteFile(report, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	golden(t, "simulate-from", 0, "", "simulate", "--from", report)
	golden(t, "recommend-from", 0, "", "recommend", "--from", report, "-o", "json")
	golden(t, "simulate-from-none", 2, `{"schema":"other"}`, "simulate", "--from", "-")
}
