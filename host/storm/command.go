package storm

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/fault"
)

// splitCommand cuts a command into its words as a shell does: blanks separate, quotes and backslashes keep. Nothing else
// of a shell is understood; who wants one writes sh -c '…'.
func splitCommand(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	quote := rune(0)
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	if quote != 0 || escaped || len(words) == 0 || words[0] == "" {
		return nil, fault.Value("storm", "exec", strconv.Quote(text), "a program and its arguments, such as 'node client.js {uri}'")
	}
	return words, nil
}
