package abi

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/core/report"
)

// form is in which form an answer is wanted: JSON, or a page of core/render.
type form struct {
	output string // "" is json
	page   render.Options
}

// pages are the forms of a report beside JSON; a form is one line here and one function of core/render.
func pages() map[string]func(*report.Report, render.Options) []byte {
	return map[string]func(*report.Report, render.Options) []byte{
		"text":     render.AnalyzeText,
		"ndjson":   render.AnalyzeLines,
		"markdown": render.AnalyzeMarkdown,
		"html":     render.AnalyzeHTML,
		"github":   render.AnalyzeGitHub,
	}
}

// field reads one of the form's options; known is false for a key that is none of them.
func (f *form) field(key, value []byte) (known bool, err error) {
	var into any
	switch string(key) {
	case "output":
		if err = jsonscan.Read("abi", "output", value, &f.output); err != nil {
			return true, err
		}
		if f.output != "" && f.output != "json" && pages()[f.output] == nil {
			err = fault.Value("abi", "output", strconv.Quote(f.output), "one of json, text, ndjson, markdown, html, github")
		}
		return true, err
	case "width":
		into = &f.page.Width
	case "color":
		into = &f.page.Color
	case "ascii":
		into = &f.page.ASCII
	case "rows":
		into = &f.page.Top
	case "command":
		var command string
		if err = jsonscan.Read("abi", "command", value, &command); err == nil {
			f.page.Made = "stormlint " + Product + ": " + command
		}
		return true, err
	case "show_addresses":
		into = &f.page.Addresses
	default:
		return false, nil
	}
	return true, jsonscan.Read("abi", string(key), value, into)
}

// write gives the report in the form.
func (l *logs) write(r *report.Report) []byte {
	if l.form.page.Made == "" {
		l.form.page.Made = "stormlint " + Product
	}
	if page := pages()[l.form.output]; page != nil {
		return page(r, l.form.page)
	}
	return r.AppendJSON(nil)
}
