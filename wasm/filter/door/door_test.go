package door

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/wasm/filter/setting"
)

// rules are those of a host's shared data.
type rules uint8

const (
	envoy    rules = iota // set of an absent key succeeds with any number; 0 replaces anything
	nginx                 // ngx_wasm_module: the number must be the stored one, and 0 for an absent key
	emulator              // the SDK's proxytest: a new key has the number given plus one, and 0 is a number like others
)

// memory is shared data that lets others come between at random.
type memory struct {
	mu     sync.Mutex
	rules  rules
	values map[string][]byte
	cas    map[string]uint32
	last   uint32
	after  func() // called between Get and Set
}

func newMemory(r rules) *memory {
	return &memory{rules: r, values: map[string][]byte{}, cas: map[string]uint32{}}
}

func (m *memory) Get(key []byte) ([]byte, uint32, Status) {
	m.mu.Lock()
	v, ok := m.values[string(key)]
	v, cas := append([]byte{}, v...), m.cas[string(key)]
	m.mu.Unlock()
	if m.after != nil {
		m.after()
	}
	if !ok {
		return nil, 0, Absent
	}
	return v, cas, OK
}

func (m *memory) Set(name, value []byte, cas uint32) Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := string(name)
	_, there := m.values[key]
	m.last++
	next := m.last
	switch m.rules {
	case envoy:
		if there && cas != 0 && cas != m.cas[key] {
			return Mismatch
		}
	case nginx:
		if !there && cas != 0 || there && cas != m.cas[key] {
			return Mismatch
		}
	case emulator:
		if there && cas != m.cas[key] {
			return Mismatch
		}
		next = cas + 1
	}
	m.values[key], m.cas[key] = append([]byte{}, value...), next
	return OK
}

func settings(t testing.TB, text string) *setting.Settings {
	t.Helper()
	s, err := setting.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func doors(t testing.TB, s *setting.Settings, m Shared, n int) []*Door {
	t.Helper()
	list := make([]*Door, n)
	for i := range list {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		d, err := New(s, m, rng.Uint64)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = d
	}
	return list
}

func ask(d *Door, peer string, now int64) Verdict {
	r := d.Read([][2]string{{":method", "GET"}, {"upgrade", "websocket"}})
	return d.Judge(&r, peer, now)
}

// Workers that come between each other at every step let exactly the burst in, by the rules of three hosts.
func TestExactly(t *testing.T) {
	const workers, tries = 8, 50
	s := settings(t, `{"mode":"enforce","key":"ip","rate":0.001,"burst":30,"fleet_rate":109,"fleet_burst":100}`)
	for r, name := range []string{"Envoy", "ngx_wasm_module", "proxytest"} {
		for round := range 20 {
			m := newMemory(rules(r))
			m.after = func() { time.Sleep(0) } // gives the processor away
			list := doors(t, s, m, workers)
			var in [6]atomic.Int64
			var open atomic.Int64
			var wait sync.WaitGroup
			for i, d := range list {
				wait.Go(func() {
					for k := range tries {
						c := (i + k) % len(in)
						v := ask(d, fmt.Sprintf("192.0.2.%d:1", c), 1e15)
						if v.Open != Known {
							open.Add(1)
						} else if v.Allowed {
							in[c].Add(1)
						}
					}
				})
			}
			wait.Wait()
			all := int64(0)
			for c := range in {
				n := in[c].Load()
				all += n
				if n > 30 {
					t.Errorf("%s, round %d: client %d had %d", name, round, c, n)
				}
			}
			if all != 100 || open.Load() != 0 {
				t.Fatalf("%s, round %d: %d in, %d without a decision", name, round, all, open.Load())
			}
		}
	}
}

// Shared limits answer as bucket.Door does, decision for decision.
func TestAsOneDoor(t *testing.T) {
	const seed = 21
	rng := rand.New(rand.NewPCG(seed, 1))
	s := settings(t, `{"mode":"enforce","key":"ip","rate":2,"burst":5,"fleet_rate":30,"fleet_burst":11,"clients":50}`)
	list := doors(t, s, newMemory(envoy), 4)
	table, err := bucket.NewTable(*s.Client, 50)
	if err != nil {
		t.Fatal(err)
	}
	oracle := bucket.Door{Clients: table, Fleet: &bucket.Bucket{Rule: *s.Fleet}}
	now := int64(1e15)
	for i := range 20_000 {
		now += rng.Int64N(40e6)
		v := ask(list[rng.IntN(4)], fmt.Sprintf("192.0.2.%d:1", rng.IntN(60)), now)
		d, gate := oracle.Take(v.ID, now)
		if v.Decision != d || v.Gate != gate {
			t.Fatalf("seed %d, step %d: %+v by %v, want %+v by %v", seed, i, v.Decision, v.Gate, d, gate)
		}
	}
}

// The moments that refused clients are told lie in one line, whichever worker tells them.
func TestMoments(t *testing.T) {
	s := settings(t, `{"mode":"enforce","key":"ip","rate":"inf","fleet_rate":109,"fleet_burst":10}`)
	list := doors(t, s, newMemory(envoy), 4)
	var moments []time.Duration
	for i := range 510 {
		v := ask(list[i%4], fmt.Sprintf("192.0.%d.%d:1", i/200, i%200), 1e15)
		if v.Outcome == Refused {
			moments = append(moments, v.Hint)
		}
	}
	if len(moments) != 500 {
		t.Fatalf("%d refused", len(moments))
	}
	for i := 1; i < len(moments); i++ { // one each 12.5 ms: 80 % of the rate that the burst leaves
		if d := moments[i] - moments[i-1]; d < 12*time.Millisecond || d > 13*time.Millisecond {
			t.Fatalf("moments %d and %d are %v apart", i-1, i, d)
		}
	}
	again := ask(list[3], "192.0.2.3:1", 1e15+1e6) // asks again before its moment: not sooner, and the line is no longer
	next := ask(list[0], "198.51.100.1:1", 1e15+1e6)
	if again.Hint < moments[399]-time.Second || next.Hint > moments[499]+26*time.Millisecond {
		t.Errorf("again %v, next %v, last %v", again.Hint, next.Hint, moments[499])
	}
}

func TestRead(t *testing.T) {
	d := doors(t, settings(t, `{"key":"header:x-client","trusted_proxies":["10.0.0.0/8"]}`), nil, 1)[0]
	for name, c := range map[string]struct {
		headers       [][2]string
		handshake, h2 bool
		key           string
	}{
		"none":                      {nil, false, false, ""},
		"HTTP/1.1":                  {[][2]string{{":method", "GET"}, {"Upgrade", "WebSocket"}}, true, false, ""},
		"a list":                    {[][2]string{{":method", "GET"}, {"upgrade", "h2c, websocket"}}, true, false, ""},
		"two lines":                 {[][2]string{{":method", "GET"}, {"upgrade", "h2c"}, {"upgrade", "websocket"}}, true, false, ""},
		"POST":                      {[][2]string{{":method", "POST"}, {"upgrade", "websocket"}}, false, false, ""},
		"another upgrade":           {[][2]string{{":method", "GET"}, {"upgrade", "websockets"}}, false, false, ""},
		"extended CONNECT":          {[][2]string{{":method", "CONNECT"}, {":protocol", "websocket"}}, true, true, ""},
		"CONNECT of something else": {[][2]string{{":method", "CONNECT"}, {":protocol", "connect-udp"}}, false, false, ""},
		"a key":                     {[][2]string{{":method", "GET"}, {"upgrade", "websocket"}, {"X-Client", "a"}}, true, false, "a"},
		"two keys":                  {[][2]string{{":method", "GET"}, {"upgrade", "websocket"}, {"x-client", "a"}, {"x-client", "a"}}, true, false, ""},
	} {
		r := d.Read(c.headers)
		if r.Handshake != c.handshake || r.H2 != c.h2 || r.key != c.key {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("203.0.113.9, 10.0.0.1", "10.0.0.1:1", "a", int64(1e15))
	f.Add("\xff\xfe,,,", "unix:/x", "", int64(-1))
	f.Add("for=\"[2001:db8::1]:1\"", "[::1]:9", "b", int64(1<<62))
	s := settings(f, `{"mode":"enforce","key":"header:x-client","trusted_proxies":["10.0.0.0/8"],"fleet_rate":10}`)
	d := doors(f, s, newMemory(envoy), 1)[0]
	f.Fuzz(func(t *testing.T, list, peer, key string, now int64) {
		r := d.Read([][2]string{{":method", "GET"}, {"upgrade", "websocket"}, {"x-forwarded-for", list}, {"x-client", key}})
		v := d.Judge(&r, peer, now)
		if v.Outcome == Refused {
			if a := d.Answer(&v); a.Status < 429 || len(a.Headers) != 6 || len(a.Body) == 0 || v.Hint < 0 || v.Hint > s.Longest {
				t.Errorf("%+v %v", a, v.Hint)
			}
		}
	})
}
