//go:build !js

package plugin

import (
	"strconv"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/wasm/filter/door"
	"github.com/stormlint/stormlint/wasm/filter/watch"
)

// meter is one of the filter's counters. Labels stand in the names as ".label=value", from which stats tags cut them
// again; the README has the rule.
type meter uint8

const (
	admitted meter = iota
	exempt
	refusedClient
	refusedFleet
	wouldRefuseClient
	wouldRefuseFleet
	openStore
	openContention
	suspended
	nameless
	retried
	foreign
	fallback
	unread
	lost
	faults
	gaugeAttempts // from here on gauges: the last minute's, as its line has them
	gaugeRefused
	gaugeClients
	gaugePeak
	gaugeTogether
	gaugeJudged
	gaugeLocked
	meterCount
)

var meterNames = [meterCount]string{
	admitted:          "stormlint.handshakes.outcome=admitted.limit=open",
	exempt:            "stormlint.handshakes.outcome=exempt.limit=open",
	refusedClient:     "stormlint.handshakes.outcome=refused.limit=client",
	refusedFleet:      "stormlint.handshakes.outcome=refused.limit=fleet",
	wouldRefuseClient: "stormlint.handshakes.outcome=would_refuse.limit=client",
	wouldRefuseFleet:  "stormlint.handshakes.outcome=would_refuse.limit=fleet",
	openStore:         "stormlint.failed_open.reason=store",
	openContention:    "stormlint.failed_open.reason=contention",
	suspended:         "stormlint.suspended",
	nameless:          "stormlint.nameless",
	retried:           "stormlint.shared.event=retry",
	foreign:           "stormlint.shared.event=foreign",
	fallback:          "stormlint.shared.event=absent",
	unread:            "stormlint.host_failures",
	lost:              "stormlint.watch.lost",
	faults:            "stormlint.faults",
	gaugeAttempts:     "stormlint.minute.attempts",
	gaugeRefused:      "stormlint.minute.refused",
	gaugeClients:      "stormlint.minute.clients",
	gaugePeak:         "stormlint.minute.peak_100ms",
	gaugeTogether:     "stormlint.minute.together",
	gaugeJudged:       "stormlint.minute.judged",
	gaugeLocked:       "stormlint.minute.without_jitter",
}

// The kinds of metric, and the id of one that the host refused.
const (
	counter = 0
	gauge   = 1
	none    = 1<<32 - 1
)

type meters [meterCount]uint32

// newMeters defines all counters at the start, so that a 0 can be seen before the first event.
func newMeters() *meters {
	m := new(meters)
	for i, name := range meterNames {
		kind := uint32(counter)
		if meter(i) >= gaugeAttempts {
			kind = gauge
		}
		m[i] = define(kind, name)
	}
	return m
}

func (m *meters) add(which meter, n int) {
	if n > 0 {
		increment(m[which], int64(n))
	}
}

// show sets the gauges of the last minute. What is judged and what is without jitter are both numbers of clients, so that
// a share can be had over several proxies.
func (m *meters) show(s *watch.State) {
	together := int64(0)
	if s.Together {
		together = 1
	}
	for i, v := range [...]int64{s.Attempts, s.Refused, s.Clients, int64(s.Peak), together, int64(s.Judged), int64(s.Locked)} {
		record(m[int(gaugeAttempts)+i], uint64(v))
	}
}

// count counts a verdict.
func (p *plugin) count(v *door.Verdict) {
	m := p.meters
	switch {
	case v.Outcome == door.Admitted:
		m.add(admitted, 1)
	case v.Outcome == door.Exempt:
		m.add(exempt, 1)
	default:
		which := wouldRefuseClient
		if v.Outcome == door.Refused {
			which = refusedClient
		}
		if v.Gate == bucket.Fleet {
			which++
		}
		m.add(which, 1)
		p.refused[v.Gate]++
	}
	if v.Open == door.Store {
		m.add(openStore, 1)
	} else if v.Open == door.Contention {
		m.add(openContention, 1)
	}
	if v.Suspended {
		m.add(suspended, 1)
	}
	if v.News {
		log(warn, "stormlint: "+string(v.AppendKey(nil))+" looks like a proxy that was not declared: refusals by the client's limit are suspended for it; declare it in trusted_proxies, or its clients share one limit")
	}
	if v.Nameless {
		m.add(nameless, 1)
	}
	m.add(retried, v.Retries)
	m.add(foreign, v.Foreign)
}

// summary says what was refused since the last tick.
func (p *plugin) summary() {
	client, fleet := p.refused[bucket.Client], p.refused[bucket.Fleet]
	if client+fleet == 0 {
		return
	}
	p.refused = [len(p.refused)]int{}
	text := "stormlint: handshakes refused: "
	if !p.settings.Enforce {
		text = "stormlint: handshakes that would have been refused (shadow): "
	}
	log(warn, text+strconv.Itoa(client)+" by the client's limit, "+strconv.Itoa(fleet)+" by the fleet's, on this worker")
}
