//go:build !js

package plugin

// worker is what one VM holds: its configurations, and the requests under way. Its methods are the host's callbacks; of a
// number that it does not know it says nothing and does nothing.
type worker struct {
	clocks  clocks
	plugins map[uint32]*plugin
	streams contexts
	last    context // of plugins: the one asked last
}

// create begins a configuration (parent 0) or a request under one.
func (w *worker) create(id, parent uint32) {
	if parent != 0 {
		if p := w.plugin(parent); p != nil && w.streams.find(id) == nil && id != 0 {
			w.streams.add(id, p)
		}
		return
	}
	if w.plugins == nil {
		w.plugins = map[uint32]*plugin{}
	}
	w.plugins[id] = &plugin{clocks: w.clocks}
	w.last = context{}
}

func (w *worker) plugin(id uint32) *plugin {
	if w.last.id != id || w.last.plugin == nil {
		w.last = context{id: id, plugin: w.plugins[id]}
	}
	return w.last.plugin
}

// configure reads a configuration; false for a bad one.
func (w *worker) configure(id uint32, size int) bool {
	p := w.plugin(id)
	return p != nil && p.configure(size)
}

func (w *worker) tick(id uint32) {
	if p := w.plugin(id); p != nil {
		p.tick()
	}
}

// request sees a request's headers; pause says that it has been answered.
func (w *worker) request(id uint32) (pause bool) {
	c := w.streams.find(id)
	if c == nil {
		return false
	}
	if c.stream, pause = c.plugin.request(); c.stream == nil {
		w.streams.remove(id) // no handshake: nothing more is to be known of it
	}
	return pause
}

func (w *worker) response(id uint32) {
	if c := w.streams.find(id); c != nil && c.stream != nil {
		c.stream.answer()
	}
}

// end is the end of whatever has a number.
func (w *worker) end(id uint32) {
	if c := w.streams.find(id); c != nil {
		s := c.stream
		w.streams.remove(id)
		if s != nil {
			s.end()
		}
	} else if p := w.plugins[id]; p != nil {
		p.lines.write()
		delete(w.plugins, id)
		w.last = context{}
	}
}
