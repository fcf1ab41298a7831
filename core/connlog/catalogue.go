package connlog

import (
	"cmp"

	"github.com/stormlint/stormlint/core/fault"
)

// Catalogue is what a reader can read: the formats and wrappers that its caller knows. The base form is always there,
// first, and need not be listed; a format listed under its name takes its place.
type Catalogue struct {
	Formats  []Format
	Wrappers []Wrapper
}

// format finds a format by name.
func (c *Catalogue) format(name string) (Format, error) {
	for _, f := range c.Formats {
		if f.Name() == name {
			return f, nil
		}
	}
	if name == "" || name == (Base{}).Name() {
		return Base{}, nil
	}
	return nil, &fault.Error{Code: fault.NotFound, Package: "connlog", Message: "unknown format", Value: name, Expected: "auto or one of those that `stormlint formats` lists"}
}

func (c *Catalogue) wrapper(name string) (Wrapper, error) {
	for _, w := range c.Wrappers {
		if w.Name() == name {
			return w, nil
		}
	}
	return nil, &fault.Error{Code: fault.NotFound, Package: "connlog", Message: "unknown wrapper", Value: name}
}

// setup is what a format is told under a plan.
func (p *Plan) setup(layout string) *Setup {
	return &Setup{Zone: p.Zone, Year: p.Year, Day: p.Day, Layout: layout, Map: p.Map, Paths: NewPaths(p.Paths, p.Learned), Group: p.Group}
}

// configure prepares the plan's formats.
func (p *Plan) configure(c *Catalogue) (formats []Format, wrappers []Wrapper, err error) {
	chosen := p.Formats
	if len(chosen) == 0 {
		chosen = []Chosen{{}}
	}
	for _, want := range chosen {
		f, err := c.format(want.Name)
		if err != nil {
			return nil, nil, err
		}
		s := p.setup(want.Layout)
		if p.Joined && runsOn(f.Traits()) {
			s.Zone = s.Zone.Following()
		}
		if f, err = f.Configure(s); err != nil {
			return nil, nil, err
		}
		formats = append(formats, f)
	}
	for _, want := range p.Wrappers {
		w, err := c.wrapper(want)
		if err != nil {
			return nil, nil, err
		}
		if c, ok := w.(interface{ Configure(*Setup) Wrapper }); ok { // a header without its year or zone
			w = c.Configure(p.setup(""))
		}
		wrappers = append(wrappers, w)
	}
	return formats, wrappers, nil
}

// runsOn reports whether the stamps of a log have no zone and follow each other as its lines do. Where a line is written at
// the end and stamped with the start they jump about by lifetimes.
func runsOn(t Traits) bool {
	return !t.Zone && !t.Unordered && t.Stamped != StampNone && !(t.Written == AtClose && t.Stamped == StampStart)
}

// Traits gives the traits of the plan's formats, in the plan's order.
func (p *Plan) Traits(c Catalogue) ([]Traits, error) {
	formats, _, err := p.configure(&c)
	if err != nil {
		return nil, err
	}
	out := make([]Traits, len(formats))
	for i, f := range formats {
		out[i] = f.Traits()
		out[i].Title = cmp.Or(out[i].Title, f.Name())
	}
	return out, nil
}
