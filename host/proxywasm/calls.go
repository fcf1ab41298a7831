package proxywasm

import (
	"encoding/binary"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// hostCall is a function of the module "env". All parameters but those named are 32-bit numbers; pointers and sizes come
// in pairs.
type hostCall struct {
	parameters []api.ValueType
	f          func(v *vm, m api.Module, stack []uint64) status
}

func numbers(n int, f func(v *vm, m api.Module, stack []uint64) status) hostCall {
	p := make([]api.ValueType, n)
	for i := range p {
		p[i] = i32
	}
	return hostCall{p, f}
}

// calls are the functions that a filter may import.
var calls = map[string]hostCall{
	"proxy_log": numbers(3, func(v *vm, m api.Module, s []uint64) status {
		text, there := text(m, s[1], s[2])
		if !there {
			return invalidMemory
		}
		v.host.said(int(u32(s[0])), string(text))
		return ok
	}),
	"proxy_set_tick_period_milliseconds": numbers(1, func(v *vm, _ api.Module, s []uint64) status {
		v.tick = time.Duration(u32(s[0])) * time.Millisecond
		return ok
	}),
	"proxy_set_effective_context": numbers(1, func(*vm, api.Module, []uint64) status { return ok }),
	"proxy_get_buffer_bytes": numbers(5, func(v *vm, m api.Module, s []uint64) status {
		const pluginConfiguration = 7
		if u32(s[0]) != pluginConfiguration {
			return notFound
		}
		c := v.host.options.Configuration
		from := min(u32(s[1]), uint32(len(c)))
		n := min(u32(s[2]), uint32(len(c))-from)
		return give(v, m, c[from:from+n], u32(s[3]), u32(s[4]))
	}),
	"proxy_get_property": numbers(4, func(v *vm, m api.Module, s []uint64) status {
		path, there := text(m, s[0], s[1])
		if !there {
			return invalidMemory
		}
		if string(path) != "source\x00address" || v.stream == nil || v.host.options.Faults.NoAddress {
			return notFound
		}
		return give(v, m, v.stream.peer, u32(s[2]), u32(s[3]))
	}),
	"proxy_get_shared_data": numbers(5, func(v *vm, m api.Module, s []uint64) status {
		key, there := text(m, s[0], s[1])
		if !there {
			return invalidMemory
		}
		if f := v.host.options.Faults.Shared; f != nil {
			if st := status(f("get", string(key))); st != ok {
				return st
			}
		}
		value, cas, st := v.host.shared.get(key)
		if st != ok {
			return st
		}
		casAt := u32(s[4])
		if st = give(v, m, value, u32(s[2]), u32(s[3])); st == ok && !m.Memory().WriteUint32Le(casAt, cas) {
			st = invalidMemory
		}
		return st
	}),
	"proxy_set_shared_data": numbers(5, func(v *vm, m api.Module, s []uint64) status {
		key, there := text(m, s[0], s[1])
		value, whole := m.Memory().Read(u32(s[2]), u32(s[3]))
		if !there || !whole {
			return invalidMemory
		}
		if f := v.host.options.Faults.Shared; f != nil {
			if st := status(f("set", string(key))); st != ok {
				return st
			}
		}
		return v.host.shared.set(key, value, u32(s[4]))
	}),
	"proxy_define_metric": numbers(4, func(v *vm, m api.Module, s []uint64) status {
		name, there := text(m, s[1], s[2])
		if !there || u32(s[0]) > 2 || !m.Memory().WriteUint32Le(u32(s[3]), v.host.metrics.define(string(name))) {
			return badArgument
		}
		return ok
	}),
	"proxy_increment_metric": {[]api.ValueType{i32, i64}, func(v *vm, _ api.Module, s []uint64) status {
		return v.host.metrics.change(u32(s[0]), int64(s[1]), false)
	}},
	"proxy_record_metric": {[]api.ValueType{i32, i64}, func(v *vm, _ api.Module, s []uint64) status {
		return v.host.metrics.change(u32(s[0]), int64(s[1]), true)
	}},
	"proxy_get_header_map_value": numbers(5, func(v *vm, m api.Module, s []uint64) status {
		key, there := text(m, s[1], s[2])
		if !there {
			return invalidMemory
		}
		for _, p := range v.stream.pairs(u32(s[0])) {
			if len(p[0]) == len(key) && strings.EqualFold(p[0], string(key)) {
				return give(v, m, p[1], u32(s[3]), u32(s[4]))
			}
		}
		return notFound
	}),
	"proxy_get_header_map_pairs": numbers(3, func(v *vm, m api.Module, s []uint64) status {
		if f := v.host.options.Faults.Headers; f != nil {
			if st := status(f()); st != ok {
				return st
			}
		}
		if v.stream == nil {
			return badArgument
		}
		v.list = serialise(v.list[:0], v.stream.pairs(u32(s[0])))
		return give(v, m, v.list, u32(s[1]), u32(s[2]))
	}),
	"proxy_send_local_response": numbers(8, func(v *vm, m api.Module, s []uint64) status {
		body, whole := m.Memory().Read(u32(s[3]), u32(s[4]))
		list, there := m.Memory().Read(u32(s[5]), u32(s[6]))
		pairs, good := parse(list)
		if !whole || !there || v.stream == nil {
			return invalidMemory
		}
		if code := u32(s[0]); !good || code < 200 || code > 599 {
			return badArgument
		}
		v.stream.local = &answer{int(u32(s[0])), pairs, append([]byte(nil), body...)}
		return ok
	}),
}

// u32 is a parameter: its upper half may be garbage.
func u32(slot uint64) uint32 { return api.DecodeU32(slot) }

// text is a view of the guest's memory, valid until the guest runs again.
func text(m api.Module, at, size uint64) ([]byte, bool) { return m.Memory().Read(u32(at), u32(size)) }

// serialise writes pairs as the ABI wants them: their number, the lengths of each, then each with zeros behind.
func serialise(b []byte, pairs [][2]string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(pairs)))
	for _, p := range pairs {
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(len(p[0]))), uint32(len(p[1])))
	}
	for _, p := range pairs {
		b = append(append(append(append(b, p[0]...), 0), p[1]...), 0)
	}
	return b
}

// parse reads what serialise writes; nothing in it is trusted.
func parse(b []byte) (pairs [][2]string, good bool) {
	if len(b) == 0 {
		return nil, true
	}
	if len(b) < 4 {
		return nil, false
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if 4+10*n > int64(len(b)) {
		return nil, false
	}
	lengths, rest := b[4:4+8*n], string(b[4+8*n:]) // which all texts are parts of
	pairs = make([][2]string, 0, n)
	take := func(n uint32) (string, bool) {
		if int64(n)+1 > int64(len(rest)) || rest[n] != 0 {
			return "", false
		}
		s := rest[:n]
		rest = rest[n+1:]
		return s, true
	}
	for ; len(lengths) > 0; lengths = lengths[8:] {
		k, good := take(binary.LittleEndian.Uint32(lengths))
		v, well := take(binary.LittleEndian.Uint32(lengths[4:]))
		if !good || !well {
			return nil, false
		}
		pairs = append(pairs, [2]string{k, v})
	}
	return pairs, len(rest) == 0
}
