package render

import (
	"strings"

	"github.com/stormlint/stormlint/core/figure"
)

var (
	blocks = []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	ascii  = []string{" ", ".", ".", ":", ":", "|", "|", "#", "#"}
)

// Room is how many columns Bars has on the page beside a label.
func (s *Sheet) Room(label int) int { return s.width() - label - 1 }

// Bars appends a chart of columns, rows lines high, one column a value, with the largest value beside it: before the
// uppermost line, or after the only one. A value above zero shows at least the lowest mark.
func (s *Sheet) Bars(title string, values []int64, rows, label int) {
	marks := blocks
	if s.ASCII {
		marks = ascii
	}
	var most int64
	for _, v := range values {
		most = max(most, v)
	}
	for row := rows - 1; row >= 0; row-- {
		text := ""
		switch row {
		case 0:
			text = title
		case rows - 1:
			text = figure.Count(most)
		}
		s.b = append(s.b, strings.Repeat(" ", max(label-width(text), 0))...)
		s.styled(text, dim)
		line := ""
		for _, v := range values {
			eighths := 0
			if most > 0 && v > 0 {
				eighths = max(1, int(float64((float64(v)/float64(most))*float64(8*rows))+0.5))
			}
			line += marks[min(max(eighths-8*row, 0), 8)]
		}
		if rows > 1 {
			line = strings.TrimRight(line, " ")
		}
		if line != "" {
			s.b = append(s.b, ' ')
			s.styled(line, green)
		}
		if rows == 1 {
			s.styled(" "+figure.Count(most), dim)
		}
		s.line()
	}
}
