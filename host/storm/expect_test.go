package storm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

func TestExpectations(t *testing.T) {
	r := &Report{Bursts: []Burst{
		{Dropped: 10, Back: 10, P50: time.Second, P99: 3 * time.Second, Last: 4 * time.Second, Peak: 120, Waste: 0.5},
		{Dropped: 10, Back: 10, P50: time.Second, P99: 5 * time.Second, Last: 6 * time.Second, Peak: 100, Waste: 0.2},
	}}
	for text, want := range map[string]string{
		"recovery_p99<6s":    "",
		"recovery_p99 < 4s":  "burst 2 had 5s",
		"recovery_p99<5s":    "burst 2 had 5s",
		"recovery_p99<=5s":   "",
		"recovery_last<1m":   "",
		"recovery_p50<500ms": "burst 1 had 1s",
		"peak<1.5C":          "",
		"peak<1.1C":          "burst 1 had 120 a second",
		"peak<110":           "burst 1 had 120 a second",
		"waste<0.4":          "burst 1 had 0.500 a client",
		"out<1":              "",
	} {
		e, err := ParseExpectation(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Check(r, 100); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	r.Bursts[0].Back = 7
	e, _ := ParseExpectation("recovery_p50<1h")
	if got := e.Check(r, 0); !strings.Contains(got, "left 3 of 10 clients out") {
		t.Errorf("a burst with clients out met %q", got)
	}
	e, _ = ParseExpectation("peak<2C")
	if got := e.Check(r, 0); !strings.Contains(got, "capacity is not known") {
		t.Errorf("without a capacity: %q", got)
	}
	if got := e.Check(&Report{}, 1); got == "" {
		t.Error("a run without bursts meets an expectation")
	}
	for _, text := range []string{"", "peak", "peak<", "peak<-1", "peak<NaN", "speed<3", "recovery_p99<3", "recovery_p99>3s", "waste<1C"} {
		if _, err := ParseExpectation(text); !errors.Is(err, fault.BadValue) {
			t.Errorf("%q: %v, want a bad value", text, err)
		}
	}
}

func TestOptions(t *testing.T) {
	good := Options{URI: "ws://127.0.0.1:1/", Clients: 1}
	for name, change := range map[string]func(*Options){
		"http":             func(o *Options) { o.URI = "http://127.0.0.1/" },
		"no host":          func(o *Options) { o.URI = "ws:///x" },
		"outside":          func(o *Options) { o.URI = "ws://example.org/" },
		"another's name":   func(o *Options) { o.URI, o.OwnTarget = "ws://example.org/", "example.com" },
		"no clients":       func(o *Options) { o.Clients = 0 },
		"too many":         func(o *Options) { o.Clients = MaxClients + 1 },
		"negative timeout": func(o *Options) { o.Timeout = -1 },
		"negative rate":    func(o *Options) { o.Rate = -1 },
		"too many bursts":  func(o *Options) { o.Bursts = 1001 },
	} {
		o := good
		change(&o)
		if err := o.validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, uri := range []string{"ws://localhost:1/", "ws://[::1]:1/", "wss://127.9.9.9/", "ws://127.0.0.1"} {
		if err := (&Options{URI: uri, Clients: 1}).validate(); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	o := Options{URI: "wss://Gateway.example.org/", OwnTarget: "gateway.example.org", Clients: 5}
	if err := o.validate(); err != nil {
		t.Error(err)
	}
	if o.Policy.String() != "immediate:10ms" || o.Timeout != 5*time.Second || o.Bursts != 1 {
		t.Errorf("defaults: %s, %v, %d", o.Policy.String(), o.Timeout, o.Bursts)
	}
}
