package finding

// Rule is one entry of the catalogue.
type Rule struct {
	ID        string   // kebab-case, fixed for ever: "fixed-locked"
	Title     string   // what is wrong, in plain words, without a verb of blame
	Lesson    string   // why it matters, two or three sentences
	Severity  Severity // where it starts
	Moves     string   // how the severity moves, empty when it does not
	Threshold string   // the figure at which it fires, and the reason for that figure
	Fix       string   // what to change
}
