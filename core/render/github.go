package render

import (
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

// AnalyzeGitHub is a report for GitHub Actions: an annotation for each finding, then the same page as AnalyzeMarkdown for
// the step summary, between two marks that a workflow can cut at:
//
//	stormlint analyze -o github access.log | tee >(sed '1,/^<!-- summary -->$/d' >> "$GITHUB_STEP_SUMMARY")
func AnalyzeGitHub(r *report.Report, o Options) []byte {
	who := newNames(r, o.Addresses)
	var b []byte
	for i := range r.Findings {
		f := &r.Findings[i]
		b = append(b, "::"+annotation(f.Severity)+" title="+escaped("stormlint "+f.Rule+" ("+f.Severity.String()+")", ":", ",")+"::"...)
		text := who.subject(f, r) + ": " + f.Message
		if f.Advice != "" {
			text += ". To do: " + f.Advice
		}
		b = append(append(b, escaped(clean(text, false))...), '\n')
	}
	return append(append(b, "<!-- summary -->\n"...), AnalyzeMarkdown(r, o)...)
}

// annotation is the word that GitHub has for a severity.
func annotation(s finding.Severity) string {
	switch {
	case s >= finding.High:
		return "error"
	case s == finding.Medium:
		return "warning"
	}
	return "notice"
}

// AnalyzeLines is the report's clients as NDJSON, one row of the JSON report a line.
func AnalyzeLines(r *report.Report, _ Options) []byte {
	var b []byte
	for i := range r.Clients {
		b = append(r.Clients[i].AppendJSON(b), '\n')
	}
	return b
}
