package abi

import (
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/render"
)

// formats answers {"output":"json" or "text","width","color","ascii"} with the list of formats and wrappers.
func formats(s *Session, request []byte) ([]byte, error) {
	line, _ := split(request)
	output, page, err := outputOf(line, "", nil)
	if err != nil {
		return nil, err
	}
	var wrappers []string
	for _, w := range s.catalogue().Wrappers {
		wrappers = append(wrappers, w.Name())
	}
	if output == "text" {
		return render.FormatsText(format.List(), wrappers, page), nil
	}
	return format.AppendListJSON(nil, format.List(), wrappers), nil
}

// readings answers {"options":{…},"n":10,"output",…} and, as the request's body, the head of an input, with how it is read.
func readings(s *Session, request []byte) ([]byte, error) {
	line, head := split(request)
	n := int64(10)
	var l logs
	output, page, err := outputOf(line, "options, n", func(key string, value []byte) error {
		if key == "options" {
			var err error
			l, err = parseLogs(value)
			return err
		}
		return jsonscan.Read("formats", key, value, &n)
	})
	if err != nil {
		return nil, err
	}
	if n < 1 || n > 1000 {
		return nil, fault.Value("formats", "n", "", "between 1 and 1000")
	}
	x, err := format.Explain(s.catalogue(), head, l.read, int(n))
	if err != nil {
		return nil, err
	}
	if output == "text" {
		return render.ExplanationText(x, page), nil
	}
	return x.AppendJSON(nil), nil
}

// outputOf reads the keys of an answer's form, and gives the others that are known to more.
func outputOf(line []byte, others string, more func(key string, value []byte) error) (output string, page render.Options, err error) {
	known := "output, width, color, ascii"
	if others != "" {
		known = others + ", " + known
	}
	if len(line) == 0 {
		return output, page, nil
	}
	err = jsonscan.Object(line, func(key, value []byte) error {
		get := func(into any) error { return jsonscan.Read("formats", string(key), value, into) }
		switch string(key) {
		case "output":
			if err := get(&output); err != nil {
				return err
			}
			if output != "json" && output != "text" && output != "" {
				return fault.Value("formats", "output", output, "json or text")
			}
			return nil
		case "width":
			return get(&page.Width)
		case "color":
			return get(&page.Color)
		case "ascii":
			return get(&page.ASCII)
		}
		if more != nil && listed(others, string(key)) {
			return more(string(key), value)
		}
		return jsonscan.Unknown("formats", key, known)
	})
	return output, page, err
}
