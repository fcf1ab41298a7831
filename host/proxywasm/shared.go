package proxywasm

import "sync"

// status is the ABI's answer to a host call.
type status uint32

const (
	ok            status = 0
	notFound      status = 1
	badArgument   status = 2
	invalidMemory status = 6
	casMismatch   status = 8
	internalError status = 10
)

// sharedData is what the VMs share, by Envoy's rules.
type sharedData struct {
	mu     sync.Mutex
	values map[string]*stored
	last   uint32
	bytes  int
}

type stored struct {
	value []byte
	cas   uint32
}

func (s *sharedData) get(key []byte) (value []byte, cas uint32, st status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, there := s.values[string(key)]
	if !there {
		return nil, 0, notFound
	}
	return v.value, v.cas, ok // the bytes are never changed in place
}

func (s *sharedData) set(key, value []byte, cas uint32) status {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, there := s.values[string(key)]
	if there && cas != 0 && cas != old.cas {
		return casMismatch
	}
	if s.last++; s.last == 0 {
		s.last++
	}
	if s.values == nil {
		s.values = map[string]*stored{}
	}
	if !there {
		s.bytes += len(key)
		old = new(stored)
		s.values[string(key)] = old
	}
	s.bytes += len(value) - len(old.value)
	*old = stored{append([]byte(nil), value...), s.last}
	return ok
}

// metrics are the process's counters and gauges.
type metrics struct {
	mu     sync.Mutex
	ids    map[string]uint32
	values []int64
}

func (m *metrics) define(name string) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, there := m.ids[name]
	if !there {
		if m.ids == nil {
			m.ids = map[string]uint32{}
		}
		id = uint32(len(m.values))
		m.ids[name] = id
		m.values = append(m.values, 0)
	}
	return id
}

// change adds to a metric, or sets it.
func (m *metrics) change(id uint32, v int64, set bool) status {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id >= uint32(len(m.values)) {
		return badArgument
	}
	if set {
		m.values[id] = 0
	}
	m.values[id] += v
	return ok
}

func (m *metrics) value(name string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id, there := m.ids[name]; there {
		return m.values[id]
	}
	return 0
}
