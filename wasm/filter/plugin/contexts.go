//go:build !js

package plugin

// contexts are the requests under way, by the numbers that the host counts up: a table in which a number's place is its
// last bits, or the next that is free. The number 0 is nobody's. With a map in its place every request took 1 µs more on
// wazero, a plain one 3.2 instead of 2.1.
type contexts struct {
	slots []context // a power of two of them, at most half of them in use
	used  int
}

type context struct {
	id     uint32
	plugin *plugin
	stream *stream // nil until a handshake begins
}

// find gives the place of a number, nil if it is not in the table; valid until add or remove.
func (c *contexts) find(id uint32) *context {
	mask := uint32(len(c.slots) - 1)
	if c.used == 0 || id == 0 {
		return nil
	}
	for i := id & mask; c.slots[i].id != 0; i = (i + 1) & mask {
		if c.slots[i].id == id {
			return &c.slots[i]
		}
	}
	return nil
}

// add puts a number into the table that is not in it.
func (c *contexts) add(id uint32, p *plugin) {
	if 2*(c.used+1) > len(c.slots) {
		old := c.slots
		c.slots = make([]context, max(64, 2*len(old)))
		for i := range old {
			if old[i].id != 0 {
				*c.free(old[i].id) = old[i]
			}
		}
	}
	*c.free(id) = context{id: id, plugin: p}
	c.used++
}

func (c *contexts) free(id uint32) *context {
	mask := uint32(len(c.slots) - 1)
	i := id & mask
	for c.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	return &c.slots[i]
}

// remove takes a number out, and moves up whatever stands behind it because its place was taken.
func (c *contexts) remove(id uint32) {
	mask := uint32(len(c.slots) - 1)
	if c.find(id) == nil {
		return
	}
	hole := id & mask
	for c.slots[hole].id != id {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; c.slots[i].id != 0; i = (i + 1) & mask {
		if (i-c.slots[i].id)&mask >= (i-hole)&mask {
			c.slots[hole], hole = c.slots[i], i
		}
	}
	c.slots[hole] = context{}
	c.used--
}
