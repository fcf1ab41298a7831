//go:build envoy

package envoy

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Envoy's own limiter in the place of the filter: one bucket for all of a hundred a second; and one for each address.
const (
	localFleet = `          - name: envoy.filters.http.local_ratelimit
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
              stat_prefix: limit
              token_bucket: { max_tokens: 10, tokens_per_fill: 10, fill_interval: 0.1s }
              filter_enabled: { default_value: { numerator: 100 } }
              filter_enforced: { default_value: { numerator: 100 } }
              enable_retry_after_header: true
`
	localClient = `          - name: envoy.filters.http.local_ratelimit
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
              stat_prefix: limit
              token_bucket: { max_tokens: 100000, tokens_per_fill: 100000, fill_interval: 1s }
              filter_enabled: { default_value: { numerator: 100 } }
              filter_enforced: { default_value: { numerator: 100 } }
              enable_retry_after_header: true
              rate_limits: [ { actions: [ { remote_address: {} } ] } ]
              descriptors:
              - entries: [ { key: remote_address } ]
                token_bucket: { max_tokens: 5, tokens_per_fill: 1, fill_interval: 3600s }
`
)

// BenchmarkCrowd lets a crowd of 600 that was cut off together come back at once through a limit of a hundred a second. Its
// clients wait as long as they are told, and a second where they are told nothing: so they do before the filter, and before
// Envoy's own local_ratelimit.
func BenchmarkCrowd(b *testing.B) {
	const clients = 600
	p := configure(b, build(b, ""), answering(b), `{"mode": "enforce", "key": "none", "fleet_rate": 110, "fleet_burst": 10, "share": "crowd"}`, localFleet).run(2)
	b.Logf("%-18s %9s %11s %15s %13s %12s", "600 at once, 100/s", "attempts", "busiest", "busiest after", "half are in", "all are in")
	b.Logf("%-18s %9s %11s %15s %13s", "", "a client", "100 ms", "the 1st second", "after")
	for k, name := range []string{"filter", "local_ratelimit"} {
		var mu sync.Mutex
		var asked, entered []time.Duration
		began := time.Now()
		var all sync.WaitGroup
		for c := range clients {
			all.Go(func() {
				for {
					at := time.Since(began)
					a, err := ask(p.doors[k].address(), "127.0.40."+strconv.Itoa(1+c%250))
					mu.Lock()
					asked = append(asked, at)
					if err == nil && a.status == "101" {
						entered = append(entered, time.Since(began))
						mu.Unlock()
						return
					}
					mu.Unlock()
					if a.after == 0 {
						a.after = time.Second
					}
					time.Sleep(a.after)
				}
			})
		}
		all.Wait()
		slices.Sort(asked)
		slices.Sort(entered)
		later := slices.IndexFunc(asked, func(d time.Duration) bool { return d > time.Second })
		b.Logf("%-18s %9.2f %11d %15d %12.1fs %11.1fs", name, float64(len(asked))/clients, busiest(asked), busiest(asked[max(later, 0):]), entered[clients/2].Seconds(), entered[clients-1].Seconds())
	}
}

// busiest is the most of a sorted list within a tenth of a second.
func busiest(list []time.Duration) (most int) {
	from := 0
	for i, at := range list {
		for list[from] <= at-100*time.Millisecond {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// BenchmarkClients lets 60 clients ask eight times each, in turn, through a limit of five for each: 300 may come in.
func BenchmarkClients(b *testing.B) {
	const clients, tries, burst = 60, 8, 5
	p := configure(b, build(b, ""), answering(b), `{"mode": "enforce", "key": "ip", "rate": 0.0003, "burst": 5, "share": "clients"}`, localClient,
		localClient+"              max_dynamic_descriptors: 1000\n").run(2)
	for k, name := range []string{"filter", "local_ratelimit, 20 descriptors by default", "local_ratelimit, 1,000 descriptors"} {
		var in atomic.Int64
		for range tries {
			var all sync.WaitGroup
			for g := range 4 {
				all.Go(func() {
					for c := g; c < clients; c += 4 {
						a, err := ask(p.doors[k].address(), "127.0.41."+strconv.Itoa(1+c))
						if err != nil {
							b.Error(err)
						} else if a.status == "101" {
							in.Add(1)
						}
					}
				})
			}
			all.Wait()
		}
		b.Logf("%-44s %d of %d let in; %d would be right", name, in.Load(), clients*tries, clients*burst)
	}
}
