package finding

import "slices"

// catalogue is every rule, those of schedules first. Rules of logs that are the same fault carry the same id and are not
// repeated.
var catalogue = slices.Concat(lockedRules, firstWaveRules, jitterRules, growthRules, behaviourRules, logRules)

// Rules lists the catalogue. The slice is the caller's.
func Rules() []Rule { return slices.Clone(catalogue) }

// Lookup finds a rule by its id; ok is false when there is none of that name.
func Lookup(id string) (r Rule, ok bool) {
	for i := range catalogue {
		if catalogue[i].ID == id {
			return catalogue[i], true
		}
	}
	return Rule{}, false
}
