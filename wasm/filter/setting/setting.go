// Package setting is the filter's configuration: what an operator writes as JSON, checked in one place, and compiled.
//
//	{
//	  "mode": "enforce",                   shadow (default): let in, count and log; enforce: refuse
//	  "key": "ip",                         ip, direct, header:NAME, none; needed before anything is refused
//	  "trusted_proxies": ["10.0.0.0/8"],   networks whose forwarded header is believed; default nobody's
//	  "forwarded_header": "x-forwarded-for",
//	  "allow": ["192.0.2.0/28"],           never limited: health checks
//	  "rate": 2, "burst": 5,               for each client; "rate": "inf" for none
//	  "fleet_rate": 225, "fleet_burst": 22, the most of all clients together in any second, the burst counted
//	                                       in; default none; burst at most the rate, 0 for a tenth of it
//	  "longest_wait_ms": 300000,           the longest Retry-After, 1 s to 24 h
//	  "clients": 65536,                    expected to be live at once; sets the memory of the buckets, which never grows
//	  "scope": "process",                  process: all workers share the limits; worker: each has its own
//	  "share": "default",                  filters of one VM id with the same word share their limits
//	  "log": 1,                            share of clients whose handshakes are logged, 0 to 1
//	  "watch": true                        a line a minute with the state of the storm
//	}
//
// The words are those of the guard's limits file where both have them. A key that does not exist is an error, and so is
// one written twice: a typo in a limit must not pass. No configuration at all is the default: mode shadow.
package setting

import (
	"math"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
)

// Key says what tells one client from another.
type Key uint8

// The rules for keys.
const (
	IP     Key = iota // the address behind the trusted proxies, IPv6 by its /64
	Direct            // the peer's address, declared to be the client's own
	Header            // the value of a header that something before the filter sets
	None              // no limit for each client
)

// Settings are a configuration that has been checked. Make them with Parse.
type Settings struct {
	Enforce   bool
	Key       Key
	Header    string // of Key Header, in lower case
	Forwarded string // in lower case
	Proxies   address.Proxies
	Allow     address.Proxies

	Client      *bucket.Rule // nil is no limit
	Fleet       *bucket.Rule // nil is no limit
	ClientLimit bucket.Limit
	FleetLimit  bucket.Limit
	Longest     time.Duration
	Clients     int // 1 to MostClients

	Process bool    // the limits are the process's, not the worker's
	Share   string  // part of the names of what is shared
	Log     float64 // share of clients, 0 to 1
	Watch   bool
}

// MostClients is the largest number of clients that buckets are made for: 48 MiB in a worker, 116 MiB in a process.
const MostClients = 1 << 20

// asked is what was written, before it is judged.
type asked struct {
	mode, key, forwarded, scope, share string
	proxies, allow                     []string
	rate, fleetRate, log               float64
	burst, fleetBurst, longest         int64
	clients                            int
	watch                              bool
}

func defaults() asked {
	return asked{mode: "shadow", forwarded: "x-forwarded-for", rate: 2, burst: 5, longest: 300_000, clients: 65_536,
		scope: "process", share: "default", log: 1, watch: true}
}

// infinite reports a rate that is no limit.
func infinite(rate float64) bool { return rate > math.MaxFloat64 }
