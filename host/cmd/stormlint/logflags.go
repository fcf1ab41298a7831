package main

import "time"

// reading is how logs are read; the names are those of the core's options.
type reading struct {
	Format    string   `placeholder:"NAME" default:"auto" help:"Format of the log; auto looks." group:"Reading"`
	LogFormat string   `placeholder:"STR" help:"The server's own format string, where the format takes one." group:"Reading"`
	Map       []string `placeholder:"ROLE=FIELD" help:"Which field of the log plays which part, such as client=peer.addr." group:"Reading"`
	Path      []string `placeholder:"P" help:"A WebSocket endpoint; a trailing * matches any rest." group:"Reading"`
	TZ        string   `name:"tz" placeholder:"ZONE" help:"Zone of stamps that have none, such as Europe/Berlin; else UTC." group:"Reading"`
	GroupBy   string   `placeholder:"KEY" help:"Groups: ua, path, host, query:KEY or field:NAME." group:"Reading"`
}

// options gives the core's options of reading.
func (v *reading) options() (map[string]any, error) {
	o := map[string]any{"format": v.Format, "day": today()}
	put(o, "log_format", v.LogFormat)
	put(o, "group_by", v.GroupBy)
	putList(o, "map", v.Map)
	putList(o, "path", v.Path)
	if v.TZ != "" {
		zone, err := zoneTable(v.TZ)
		if err != nil {
			return nil, err
		}
		o["tz"] = zone
	}
	return o, nil
}

// today places stamps that have no year (syslog) or no date (Elixir): the last that do not lie after it.
func today() int64 { return time.Now().Unix() / 86400 }

// counting is what is made of the events.
type counting struct {
	Key          string   `placeholder:"KEY" default:"ip" help:"What makes two events the same client's: ip, ip+ua, conn or client." group:"Counting"`
	TrustedProxy []string `placeholder:"CIDR" help:"A proxy whose forwarded-for list is believed." group:"Counting"`
	Since        string   `placeholder:"T" help:"Only events from this time on." group:"Counting"`
	Until        string   `placeholder:"T" help:"Only events before this time." group:"Counting"`
	Threshold    int64    `placeholder:"N" help:"Attempts a minute from which a client is marked; 0 is 60." group:"Counting"`
	Top          int      `placeholder:"N" help:"Clients in the report; 0 is 100, -1 all." group:"Counting"`
	All          bool     `help:"All clients in the report." group:"Counting"`
}

// add adds the core's options of counting.
func (v *counting) add(o map[string]any) {
	o["key"], o["all"] = v.Key, v.All
	put(o, "since", v.Since)
	put(o, "until", v.Until)
	put(o, "threshold", v.Threshold)
	put(o, "top", v.Top)
	putList(o, "trusted_proxy", v.TrustedProxy)
}

// judging is what is known about the world around the clients.
type judging struct {
	Capacity *float64 `placeholder:"C" help:"Handshakes a second that the server can do." group:"Judging"`
	Mark     []string `sep:"none" placeholder:"T=LABEL" help:"A deploy or the like on the timeline, such as 2026-11-30T10:00:00Z=v1.4." group:"Judging"`
	Budget   string   `placeholder:"N/day" help:"Attempts that a client may make in a day, such as 1000/day." group:"Judging"`
	Protocol string   `placeholder:"NAME" help:"Whose close codes 4000 to 4999 are meant, such as graphql-ws, discord or pusher." group:"Judging"`
	Include  []string `placeholder:"WHAT" help:"probes: judge health checks like clients; tiers: count a log too that tells of the same handshakes as another." group:"Judging"`
}

// add adds the core's options of judging.
func (v *judging) add(o map[string]any) error {
	if v.Capacity != nil {
		o["capacity"] = *v.Capacity
	}
	if v.Budget != "" {
		n, err := perDay(v.Budget)
		if err != nil {
			return err
		}
		o["budget"] = n
	}
	put(o, "protocol", v.Protocol)
	putList(o, "mark", v.Mark)
	putList(o, "include", v.Include)
	return nil
}

// put sets an option that was given: a zero stands for the default.
func put[T comparable](o map[string]any, name string, value T) {
	var zero T
	if value != zero {
		o[name] = value
	}
}

func putList(o map[string]any, name string, list []string) {
	if len(list) > 0 {
		o[name] = list
	}
}
