package analyze

import "github.com/stormlint/stormlint/core/fault"

// Again judges by other options what was read and finished: the next Finish gives the report that a whole new reading under
// them would, without one. They may differ from the options of New in Top, Threshold, Capacity, Budget, Protocol, Probes and
// Marks; those that decide which events there are (Key, Proxies, Since, Until, Tiers) are New's.
func (a *Analyzer) Again(o Options) error {
	switch {
	case a.broken:
		return a.usable()
	case a.finished == nil || a.finished.work != nil:
		return &fault.Error{Code: fault.BadUsage, Package: "analyze", Message: "judged again before it was finished"}
	}
	o.Key, o.Proxies, o.Since, o.Until, o.Tiers = a.options.Key, a.options.Proxies, a.options.Since, a.options.Until, a.options.Tiers
	o, err := o.validate()
	if err != nil {
		return err
	}
	protocol, err := findProtocol(o.Protocol)
	if err != nil {
		return err
	}
	a.options, a.protocol, a.finished = o, protocol, nil
	return nil
}
