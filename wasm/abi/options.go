package abi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/analyze"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/report"
)

// logs is what every question about logs is asked with: how to read, what to make of it, and in which form to answer.
// The keys are the command line's flags with _ for -:
//
//	format log_format map path tz year day group_by line_limit     reading, see connlog.Options
//	key trusted_proxy since until top all threshold                counting, see analyze.Options
//	seed                                                           of hashes over clients; no answer depends on it
//	capacity budget protocol include mark                          judging, see analyze.Options; mark is ["TIME=LABEL"]
//	output width color ascii rows show_addresses command           the form of the answer, see render.Options
type logs struct {
	read  connlog.Options
	count analyze.Options
	form  form
}

const logKeys = "format, log_format, map, path, tz, year, day, group_by, line_limit, key, trusted_proxy, since, until, top, all, threshold, seed, capacity, budget, protocol, include, mark, output, width, color, ascii, rows, show_addresses, command"

func parseLogs(object []byte) (logs, error) {
	var l logs
	err := jsonscan.Object(object, func(key, value []byte) error {
		read := func(into any) error { return jsonscan.Read("abi", string(key), value, into) }
		switch string(key) {
		case "format":
			return read(&l.read.Format)
		case "log_format":
			return read(&l.read.Layout)
		case "map":
			var pairs []string
			if err := read(&pairs); err != nil {
				return err
			}
			for _, p := range pairs {
				name, field, ok := strings.Cut(p, "=")
				if !ok || name == "" || field == "" {
					return fault.Value("abi", "map", jsonscan.Sample(value), "ROLE=FIELD, client=peer.addr for one")
				}
				if !format.HasRole(name) {
					return fault.Value("abi", "map", strconv.Quote(p), "one of these before the =: "+format.Roles)
				}
				l.read.Map = append(l.read.Map, connlog.Role{Name: name, Field: field})
			}
			return nil
		case "path":
			if err := read(&l.read.Paths); err != nil {
				return err
			}
			if slices.Contains(l.read.Paths, "") {
				return fault.Value("abi", "path", jsonscan.Sample(value), "paths such as /ws or /rooms/*")
			}
			return nil
		case "tz":
			if jsonscan.KindOf(value) == jsonscan.Null {
				return nil
			}
			l.read.Zone = &stamp.Zone{}
			return connlog.ParseZone(value, l.read.Zone)
		case "year":
			return read(&l.read.Year)
		case "day":
			return read(&l.read.Day)
		case "group_by":
			return read(&l.read.Group)
		case "line_limit":
			return read(&l.read.LineLimit)
		case "key":
			word := analyze.ByIP.String()
			err := read(&word)
			if err == nil {
				l.count.Key, err = analyze.ParseKey(word)
			}
			return err
		case "trusted_proxy":
			var list []string
			err := read(&list)
			if err == nil {
				l.count.Proxies, err = address.ParseProxies(list)
			}
			return err
		case "since":
			return instant("since", value, &l.count.Since)
		case "until":
			return instant("until", value, &l.count.Until)
		case "top":
			return read(&l.count.Top)
		case "all":
			var all bool
			err := read(&all)
			if all {
				l.count.Top = -1
			}
			return err
		case "threshold":
			return read(&l.count.Threshold)
		case "seed":
			return read(&l.count.Seed)
		case "capacity":
			if err := read(&l.count.Capacity); err != nil || l.count.Capacity != 0 || jsonscan.KindOf(value) == jsonscan.Null {
				return err
			}
			return fault.Value("analyze", "capacity", "0", "above 0 and at most 1000000000 handshakes a second")
		case "budget":
			return read(&l.count.Budget)
		case "protocol":
			return read(&l.count.Protocol)
		case "include":
			var words []string
			if err := read(&words); err != nil {
				return err
			}
			for _, w := range words {
				switch w {
				case "probes":
					l.count.Probes = true
				case "tiers":
					l.count.Tiers = true
				default:
					return fault.Value("abi", "include", jsonscan.Sample(value), "probes or tiers")
				}
			}
			return nil
		case "mark":
			var marks []string
			if err := read(&marks); err != nil {
				return err
			}
			for _, m := range marks {
				when, label, ok := strings.Cut(m, "=")
				t, known := stamp.Any([]byte(strings.TrimSpace(when)))
				if !ok || !known || label == "" {
					return fault.Value("abi", "mark", jsonscan.Sample(value), "TIME=LABEL, 2026-11-30T10:00:00Z=deploy 1.4 for one")
				}
				l.count.Marks = append(l.count.Marks, report.Mark{At: t.In(nil), Label: label})
			}
			return nil
		}
		if known, err := l.form.field(key, value); known {
			return err
		}
		return jsonscan.Unknown("abi", key, logKeys)
	})
	return l, err
}

// instant reads an ISO 8601 stamp, or seconds since 1970 as a string or a number; without a zone it is UTC.
func instant(field string, value []byte, into *int64) error {
	text, ok := jsonscan.Text(value)
	switch jsonscan.KindOf(value) {
	case jsonscan.Null:
		return nil
	case jsonscan.Number:
		text, ok = string(value), true
	}
	t, read := stamp.Any([]byte(text))
	if !ok || !read {
		return fault.Value("abi", field, jsonscan.Sample(value), "a time such as 2026-11-30T10:00:00Z")
	}
	*into = t.In(nil)
	return nil
}

// part is a stream's request: {"options":{…},"plan":{…},"part":{"source","index","name","tier"},"records":[…]}, each of them optional.
type part struct {
	logs logs
	plan *connlog.Plan // nil: decided by the stream itself, from its head
	part analyze.Part

	records []int64 // of a stream of records: those that are wanted, from 1
}

func parsePart(request []byte) (part, error) {
	var p part
	err := jsonscan.Object(request, func(key, value []byte) error {
		var err error
		switch string(key) {
		case "options":
			p.logs, err = parseLogs(value)
		case "plan":
			if jsonscan.KindOf(value) != jsonscan.Null {
				p.plan, err = connlog.ParsePlan(value)
			}
		case "records":
			err = jsonscan.Read("abi", "records", value, &p.records)
		case "part":
			err = jsonscan.Object(value, func(key, value []byte) error {
				into := map[string]any{"source": &p.part.Source, "index": &p.part.Index, "name": &p.part.Name, "tier": &p.part.Tier}[string(key)]
				if into == nil {
					return jsonscan.Unknown("abi", key, "source, index, name, tier")
				}
				return jsonscan.Read("abi", "part."+string(key), value, into)
			})
		default:
			err = jsonscan.Unknown("abi", key, "options, plan, part, records")
		}
		return err
	})
	return p, err
}
