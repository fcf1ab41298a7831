package render

import "strings"

// Column is one column of a table.
type Column struct {
	Title string
	Left  bool // text; figures stand at the right
	Min   int  // the least width to which the column may be cut when the page is narrow; 0 is never cut
	Spare int  // on a page that is still too narrow columns go, from the largest number down; 0 always stays
}

// Table appends rows of cells under their titles. Columns that nothing fills are left out. paint gives a cell a style and
// may be nil.
func (s *Sheet) Table(columns []Column, rows [][]string, paint func(row, column int) style) {
	titles, widths := s.measure(columns, rows)
	s.fit(columns, widths)
	s.row(columns, titles, widths, func(int) style { return dim })
	for n, row := range rows {
		s.row(columns, row, widths, func(column int) style {
			if paint == nil {
				return plain
			}
			return paint(n, column)
		})
	}
}

// Fits reports whether the page is wide enough for a table of which nothing is cut.
func (s *Sheet) Fits(columns []Column, rows [][]string) bool {
	_, widths := s.measure(columns, rows)
	total := -2
	for _, w := range widths {
		if w > 0 {
			total += w + 2
		}
	}
	return total <= s.width()
}

// measure cleans titles and cells, and tells how wide each column is; 0 for one that is left out.
func (s *Sheet) measure(columns []Column, rows [][]string) (titles []string, widths []int) {
	widths = make([]int, len(columns))
	for _, row := range rows {
		for i := range row {
			row[i] = s.clean(row[i])
			widths[i] = max(widths[i], width(row[i]))
		}
	}
	titles = make([]string, len(columns))
	for i, c := range columns {
		titles[i] = s.clean(c.Title)
		if widths[i] > 0 {
			widths[i] = max(widths[i], width(titles[i]))
		}
	}
	return titles, widths
}

// fit narrows a table to the page: columns that may be cut, the widest first, then columns that can be spared.
func (s *Sheet) fit(columns []Column, widths []int) {
	for {
		total, widest, spare := -2, -1, -1
		for i, c := range columns {
			if widths[i] == 0 {
				continue
			}
			total += widths[i] + 2
			if c.Min > 0 && widths[i] > c.Min && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
			if c.Spare > 0 && (spare < 0 || c.Spare > columns[spare].Spare) {
				spare = i
			}
		}
		switch {
		case total <= s.width():
			return
		case widest >= 0:
			widths[widest] -= min(total-s.width(), widths[widest]-columns[widest].Min)
		case spare >= 0:
			widths[spare] = 0
		default:
			return
		}
	}
}

func (s *Sheet) row(columns []Column, cells []string, widths []int, paint func(int) style) {
	gap := ""
	for i := range columns {
		if widths[i] == 0 {
			continue
		}
		text := s.shorten(cells[i], widths[i])
		pad := strings.Repeat(" ", widths[i]-width(text))
		if !columns[i].Left {
			gap, pad = gap+pad, ""
		}
		if text != "" { // blanks at the end of a line are not written
			s.b = append(s.b, gap...)
			s.styled(text, paint(i))
			gap = ""
		}
		gap += pad + "  "
	}
	s.line()
}
