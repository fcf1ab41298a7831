// Package render turns results into pages for people: text for a terminal, Markdown for the incident document, HTML for
// the one who was not there, annotations for a pipeline.
//
// One file holds one kind of page; Sheet is the paper that the text pages share: paragraphs that wrap, tables whose columns
// align, charts of block characters. The words are people's words: clients "came back together" or "in step", not
// "locked"; how sure a statement is stands beside it. Names from a log are hostile: control characters become "·" before
// they reach a terminal, and every other form escapes what it must.
//
// The same bytes come out everywhere: width, colour and character set are options, and nobody asks the terminal here.
package render

// Options say how a page is laid out. The zero Options is plain Unicode text of 100 columns.
type Options struct {
	Width int  // columns, 40 to 400; 0 is 100
	Color bool // with ANSI colours
	ASCII bool // only ASCII characters
	Top   int  // rows of a table of clients; 0 is 15, negative is all

	Made      string // the program, its version and the command, for the foot of Markdown and HTML
	Addresses bool   // Markdown and HTML name clients by what the log calls them instead of client-001
}

const (
	defaultWidth = 100
	defaultTop   = 15
)

func (o Options) width() int {
	if o.Width == 0 {
		return defaultWidth
	}
	return min(max(o.Width, 40), 400)
}

func (o Options) top(n int) int {
	switch {
	case o.Top == 0:
		return min(n, defaultTop)
	case o.Top < 0:
		return n
	}
	return min(n, o.Top)
}
