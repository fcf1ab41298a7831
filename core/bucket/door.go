package bucket

// Gate names the limit that refused.
type Gate uint8

// The gates of a Door.
const (
	Open   Gate = iota // nobody refused
	Client             // the client's own bucket
	Fleet              // the bucket of all clients together
)

// String is the word for a gate in metrics and logs: "open", "client", "fleet".
func (g Gate) String() string {
	switch g {
	case Client:
		return "client"
	case Fleet:
		return "fleet"
	}
	return "open"
}

// Door is a bucket for each client and one for the fleet: the first stops a client that hammers, the second a herd in
// which every client tries once. Either may be nil. Both are charged or neither: whoever the fleet refuses keeps its own
// tokens, and whoever its own bucket refuses costs the fleet nothing.
type Door struct {
	Clients *Table
	Fleet   *Bucket
}

// Take asks for one admission. The decision is that of the gate that refused; of the client's bucket when nobody did and
// there is one, else of the fleet's.
func (d *Door) Take(id uint64, now int64) (Decision, Gate) {
	if d.Clients == nil {
		return d.TakeFleet(now)
	}
	if d.Fleet != nil && d.Fleet.Take(now, 0).Remaining < 1 {
		if c := d.Clients.Take(id, now, 0); c.Remaining < 1 {
			return d.Clients.Take(id, now, 1), Client
		}
		return d.Fleet.Take(now, 1), Fleet
	}
	c := d.Clients.Take(id, now, 1)
	if !c.Allowed {
		return c, Client
	}
	if d.Fleet != nil {
		d.Fleet.Take(now, 1)
	}
	return c, Open
}

// TakeFleet asks for one admission of a client whose own bucket is not to be asked.
func (d *Door) TakeFleet(now int64) (Decision, Gate) {
	if d.Fleet == nil {
		return Decision{Allowed: true}, Open
	}
	f := d.Fleet.Take(now, 1)
	if !f.Allowed {
		return f, Fleet
	}
	return f, Open
}
