package connlog

import (
	"github.com/stormlint/stormlint/core/connlog/stamp"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Framing says where one record ends and the next begins.
type Framing uint8

// The framings.
const (
	Lines Framing = iota // a record a line; NDJSON and every text format
	Array                // the elements of a JSON array, on any lines
)

// DefaultLineLimit is the longest record, in bytes, that a reader keeps in memory; a longer one is counted and passed.
const DefaultLineLimit = 16 << 20

// Plan is everything that must be decided once for an input so that all its parts are read alike: by Sniff from its head
// and the operator's options. It travels to every part, thread and module as JSON. The zero Plan reads NDJSON in the base
// form.
type Plan struct {
	Framing   Framing
	Wrappers  []string    // layers around each record, outermost first
	Formats   []Chosen    // the best first; the others are tried on records that it cannot read. None means the base form
	Zone      *stamp.Zone // for stamps without a zone; nil is UTC
	Year      int         // for stamps without a year
	Day       int64       // for stamps without a date, days since 1970-01-01
	Map       []Role      // --map
	Paths     []string    // --path
	Learned   []string    // shapes of paths at which a handshake succeeded
	Group     string      // --group-by
	LineLimit int         // bytes; 0 is DefaultLineLimit
	Unknown   bool        // no format knew a record of the head; a longer one may tell more than the base form, which is taken
	Joined    bool        // records, or the instants of their stamps, depend on earlier ones: the input cannot be split
}

// Chosen is one format of a plan and the layout that it learned or was told.
type Chosen struct{ Name, Layout string }

// Splits reports whether the input may be cut at record boundaries and read in parts.
func (p *Plan) Splits() bool { return !p.Joined }

func (p *Plan) limit() int {
	if p.LineLimit > 0 {
		return p.LineLimit
	}
	return DefaultLineLimit
}

// AppendJSON appends the plan as the next value; ParsePlan reads it back.
func (p *Plan) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	framing := "lines"
	if p.Framing == Array {
		framing = "array"
	}
	b = jsonwrite.String(jsonwrite.Key(b, "framing"), framing)
	b = jsonwrite.Strings(jsonwrite.Key(b, "wrappers"), p.Wrappers)
	b = jsonwrite.Array(jsonwrite.Key(b, "formats"))
	for _, f := range p.Formats {
		b = jsonwrite.Strings(b, []string{f.Name, f.Layout})
	}
	b = jsonwrite.End(b, ']')
	if p.Zone != nil {
		b = jsonwrite.Object(jsonwrite.Key(b, "zone"))
		b = jsonwrite.String(jsonwrite.Key(b, "name"), p.Zone.Name)
		b = jsonwrite.Array(jsonwrite.Key(b, "steps"))
		for _, s := range p.Zone.Steps {
			b = jsonwrite.Int(jsonwrite.Array(b), s.From)
			b = jsonwrite.End(jsonwrite.Int(b, int64(s.Offset)), ']')
		}
		b = jsonwrite.End(jsonwrite.End(b, ']'), '}')
	}
	b = jsonwrite.Int(jsonwrite.Key(b, "year"), int64(p.Year))
	b = jsonwrite.Int(jsonwrite.Key(b, "day"), p.Day)
	b = jsonwrite.Array(jsonwrite.Key(b, "map"))
	for _, r := range p.Map {
		b = jsonwrite.Strings(b, []string{r.Name, r.Field})
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Strings(jsonwrite.Key(b, "paths"), p.Paths)
	b = jsonwrite.Strings(jsonwrite.Key(b, "learned"), p.Learned)
	b = jsonwrite.String(jsonwrite.Key(b, "group"), p.Group)
	b = jsonwrite.Int(jsonwrite.Key(b, "line_limit"), int64(p.LineLimit))
	if p.Unknown {
		b = jsonwrite.Bool(jsonwrite.Key(b, "unknown"), true)
	}
	b = jsonwrite.Bool(jsonwrite.Key(b, "joined"), p.Joined)
	return jsonwrite.End(b, '}')
}

// ParsePlan reads what AppendJSON wrote. Unknown keys are faults: a plan comes from the same version.
func ParsePlan(data []byte) (*Plan, error) {
	p := &Plan{}
	err := jsonscan.Object(data, func(key, value []byte) error {
		read := func(into any) error { return jsonscan.Read("connlog", "plan."+string(key), value, into) }
		pairs := func(add func(a, b string)) error {
			return jsonscan.Array(value, func(_ int, v []byte) error {
				var two []string
				if err := jsonscan.Read("connlog", "plan."+string(key), v, &two); err != nil {
					return err
				}
				if len(two) != 2 {
					return fault.Value("connlog", "plan."+string(key), jsonscan.Sample(v), "a pair")
				}
				add(two[0], two[1])
				return nil
			})
		}
		switch string(key) {
		case "framing":
			var s string
			err := read(&s)
			switch s {
			case "lines":
				p.Framing = Lines
			case "array":
				p.Framing = Array
			default:
				return fault.Value("connlog", "plan.framing", jsonscan.Sample(value), "lines or array")
			}
			return err
		case "wrappers":
			return read(&p.Wrappers)
		case "formats":
			return pairs(func(a, b string) { p.Formats = append(p.Formats, Chosen{a, b}) })
		case "zone":
			p.Zone = &stamp.Zone{}
			return ParseZone(value, p.Zone)
		case "year":
			return read(&p.Year)
		case "day":
			return read(&p.Day)
		case "map":
			return pairs(func(a, b string) { p.Map = append(p.Map, Role{a, b}) })
		case "paths":
			return read(&p.Paths)
		case "learned":
			return read(&p.Learned)
		case "group":
			return read(&p.Group)
		case "line_limit":
			return read(&p.LineLimit)
		case "unknown":
			return read(&p.Unknown)
		case "joined":
			return read(&p.Joined)
		}
		return jsonscan.Unknown("connlog", key, "those that AppendJSON writes")
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ParseZone reads {"name":"Europe/Berlin","steps":[[seconds since 1970, seconds east of Greenwich], …]}, the form in which a
// host hands over a zone: nothing below it knows the zones of the world.
func ParseZone(value []byte, z *stamp.Zone) error {
	return jsonscan.Object(value, func(key, value []byte) error {
		switch string(key) {
		case "name":
			return jsonscan.Read("connlog", "zone.name", value, &z.Name)
		case "steps":
			return jsonscan.Array(value, func(_ int, v []byte) error {
				var two []int64
				if err := jsonscan.Read("connlog", "zone.steps", v, &two); err != nil {
					return err
				}
				if len(two) != 2 || two[1] < -86400 || two[1] > 86400 || two[0] < -1<<33 || two[0] > 1<<33 {
					return fault.Value("connlog", "zone.steps", jsonscan.Sample(v), "[seconds since 1970, seconds east of Greenwich]")
				}
				z.Steps = append(z.Steps, stamp.Step{From: two[0], Offset: int32(two[1])})
				return nil
			})
		}
		return jsonscan.Unknown("connlog", key, "name, steps")
	})
}
