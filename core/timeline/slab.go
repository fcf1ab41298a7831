package timeline

// slab holds the clients' event bytes as chains of chunks, so that a million clients with four events each cost neither
// a million allocations nor the slack of as many growing slices. A chunk starts with four bytes that name the next one;
// the first chunk of a chain has 32 bytes, each following one twice as many, up to 1 KB.
type slab struct {
	blocks [][]byte
	used   int // bytes of the last block
	free   [chunkSizes][]uint32
}

const (
	chunkUnit  = 32 // chunks begin at multiples of it; an address counts in it
	chunkSizes = 6  // 32, 64, … 1024
	blockSize  = 64 << 10
)

// chain is one client's bytes.
type chain struct {
	head, tail uint32 // addresses of the first and last chunk
	room       uint16 // left in the last chunk
	chunks     uint16 // some 720 at most: 2·Limit events of 89 bytes in chunks of 1 KB
}

// length is the chain's bytes, without the links.
func (c *chain) length() int {
	short := min(c.chunks, chunkSizes)
	return chunkUnit<<short - chunkUnit + int(c.chunks-short)*chunkSize(chunkSizes) - 4*int(c.chunks) - int(c.room)
}

func chunkSize(nth uint16) int { return chunkUnit << min(nth, chunkSizes-1) }

// take gives the address of a chunk of a size class.
func (s *slab) take(class uint16) uint32 {
	if free := s.free[class]; len(free) > 0 {
		s.free[class] = free[:len(free)-1]
		return free[len(free)-1]
	}
	size := chunkSize(class)
	if len(s.blocks) == 0 || s.used+size > blockSize {
		s.blocks = append(s.blocks, make([]byte, blockSize))
		s.used = 0
	}
	at := ((len(s.blocks)-1)*blockSize + s.used) / chunkUnit
	s.used += size
	return uint32(at)
}

// at gives the bytes from an address to the end of its block.
func (s *slab) at(address uint32) []byte {
	byteAt := int(address) * chunkUnit
	return s.blocks[byteAt/blockSize][byteAt%blockSize:]
}

// append adds bytes to a chain.
func (s *slab) append(c *chain, data []byte) {
	if int(c.room) >= len(data) && c.room > 0 {
		size := chunkSize(c.chunks - 1)
		copy(s.at(c.tail)[size-int(c.room):], data)
		c.room -= uint16(len(data))
		return
	}
	for len(data) > 0 {
		if c.room == 0 {
			next := s.take(min(c.chunks, chunkSizes-1))
			if c.chunks == 0 {
				c.head = next
			} else {
				put32(s.at(c.tail), next)
			}
			c.tail, c.room = next, uint16(chunkSize(c.chunks)-4)
			c.chunks++
		}
		size := chunkSize(c.chunks - 1)
		n := copy(s.at(c.tail)[size-int(c.room):size], data)
		c.room -= uint16(n)
		data = data[n:]
	}
}

// bytes appends a chain's content to b: so many bytes from its first chunk on.
func (s *slab) bytes(head uint32, left int, b []byte) []byte {
	for address, nth := head, uint16(0); left > 0; nth++ {
		chunk := s.at(address)
		n := min(left, chunkSize(nth)-4)
		b = append(b, chunk[4:4+n]...)
		left -= n
		address = read32(chunk)
	}
	return b
}

// release empties a chain and keeps its chunks for others.
func (s *slab) release(c *chain) {
	address := c.head
	for nth := range c.chunks {
		next := read32(s.at(address))
		class := min(nth, chunkSizes-1)
		s.free[class] = append(s.free[class], address)
		address = next
	}
	*c = chain{}
}
