package herd

import (
	"strconv"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// seen is what an analysis says that a prediction needs.
type seen struct {
	clients  int
	capacity float64
	groups   []Group  // by schedule
	singles  []string // the schedules of single clients, where the groups have none
}

// fromReport takes from an analysis (schema stormlint/report/1) whatever the request leaves open: the number of clients,
// the capacity seen, and the groups with the schedules fitted to them. What the report does not know is noted.
func (q *Request) fromReport(data []byte) error {
	var r seen
	schema := ""
	err := jsonscan.Object(data, func(key, value []byte) error {
		switch string(key) {
		case "schema":
			return jsonscan.Read("herd", "schema", value, &schema)
		case "totals":
			return member(value, "clients", &r.clients)
		case "fleet":
			return member(value, "capacity_seen", &r.capacity)
		case "groups":
			return eachSchedule(value, func(clients int, spec string) {
				if p, err := backoff.Parse(spec); err == nil && clients > 0 {
					r.groups = append(r.groups, Group{Clients: clients, Policy: p})
				}
			})
		case "clients":
			return eachSchedule(value, func(_ int, spec string) { r.singles = append(r.singles, spec) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	if schema != "stormlint/report/1" {
		return &fault.Error{Code: fault.BadValue, Package: "herd", Field: "report", Value: "schema " + strconv.Quote(schema), Expected: "the output of stormlint analyze -o json (schema stormlint/report/1)"}
	}
	if q.Clients == 0 {
		q.Clients = r.clients
		q.Notes = append(q.Notes, "from the report: "+strconv.Itoa(r.clients)+" clients")
	}
	if q.Server.Capacity == 0 {
		if r.capacity <= 0 {
			return &fault.Error{Code: fault.BadUsage, Package: "herd", Field: "capacity", Message: "the report has seen no capacity", Expected: "--capacity, handshakes a second"}
		}
		q.Server.Capacity = r.capacity
		q.Notes = append(q.Notes, "from the report: the server was seen to accept "+number(r.capacity)+" handshakes a second; it may be able to do more")
	}
	if len(q.Policies) == 0 && q.ClientsFixed == "" {
		q.takeGroups(r)
	}
	return nil
}

// takeGroups scales the groups found to the number of clients; the largest seven keep their policy, and whoever has no
// readable schedule is taken to behave like the rest.
func (q *Request) takeGroups(r seen) {
	if len(r.groups) == 0 {
		for _, spec := range r.singles {
			if p, err := backoff.Parse(spec); err == nil {
				r.groups = append(r.groups, Group{Clients: 1, Policy: p})
			}
		}
	}
	var merged []Group
	known := 0
next:
	for _, g := range r.groups {
		known += g.Clients
		name := g.Policy.String()
		for i := range merged {
			if merged[i].Policy.String() == name {
				merged[i].Clients += g.Clients
				continue next
			}
		}
		merged = append(merged, g)
	}
	if known == 0 || q.Clients < 1 {
		return
	}
	for i := range merged { // the largest first; few enough for the plainest sort, which keeps equals in order
		for j := i; j > 0 && merged[j].Clients > merged[j-1].Clients; j-- {
			merged[j], merged[j-1] = merged[j-1], merged[j]
		}
	}
	if len(merged) > maxGroups {
		q.Notes = append(q.Notes, strconv.Itoa(len(merged)-maxGroups)+" smaller groups of the report are counted with the larger ones")
		merged = merged[:maxGroups]
	}
	if known < q.Clients {
		q.Notes = append(q.Notes, "the report knows the schedule of "+strconv.Itoa(known)+" of "+strconv.Itoa(q.Clients)+" clients; the others are taken to behave alike")
	}
	sum, given := 0, 0
	for _, g := range merged {
		sum += g.Clients
	}
	for i := range merged {
		n := int(float64(merged[i].Clients) / float64(sum) * float64(q.Clients))
		if i == len(merged)-1 {
			n = q.Clients - given
		}
		merged[i].Clients = max(n, 1)
		given += merged[i].Clients
	}
	q.Clients = given
	q.Groups = merged
}

// member reads one number of an object; null and a missing one leave it.
func member(object []byte, name string, into any) error {
	if jsonscan.KindOf(object) != jsonscan.Map {
		return nil
	}
	return jsonscan.Object(object, func(key, value []byte) error {
		if string(key) == name {
			return jsonscan.Read("herd", name, value, into)
		}
		return nil
	})
}

// eachSchedule visits the rows that have a schedule with a SPEC.
func eachSchedule(list []byte, visit func(clients int, spec string)) error {
	if jsonscan.KindOf(list) != jsonscan.List {
		return nil
	}
	return jsonscan.Array(list, func(_ int, row []byte) error {
		clients, spec := 0, ""
		err := jsonscan.Object(row, func(key, value []byte) error {
			switch string(key) {
			case "clients":
				if jsonscan.KindOf(value) == jsonscan.Number {
					return jsonscan.Read("herd", "clients", value, &clients)
				}
			case "schedule":
				return member(value, "policy", &spec)
			}
			return nil
		})
		if err == nil && spec != "" {
			visit(clients, spec)
		}
		return err
	})
}
