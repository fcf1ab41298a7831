package abi

import (
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/herd"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/render"
)

// The operations simulate and recommend answer at once; the streams of the same names are stepped, a budget of one being
// one attempt of one client, and their state is {"progress":0.42}. Both read a herd.Request and besides it "output" (json,
// text; simulate html too), "width", "color" and "ascii".

// herdRequest parts a request into the scenario and the form of the answer.
func herdRequest(request []byte) (herd.Request, form, error) {
	line, _ := split(request)
	f := form{output: "json"}
	rest := jsonwrite.Object(nil)
	err := jsonscan.Object(line, func(key, value []byte) error {
		read := func(into any) error { return jsonscan.Read("herd", string(key), value, into) }
		switch string(key) {
		case "output":
			return read(&f.output)
		case "width":
			return read(&f.page.Width)
		case "color":
			return read(&f.page.Color)
		case "ascii":
			return read(&f.page.ASCII)
		}
		rest = jsonwrite.Raw(jsonwrite.Key(rest, string(key)), value)
		return nil
	})
	if err != nil {
		return herd.Request{}, f, err
	}
	q, err := herd.ParseRequest(jsonwrite.End(rest, '}'))
	return q, f, err
}

// study is the stream simulate.
type study struct {
	refusal
	form
	*herd.Study
}

func openSimulate(_ *Session, request []byte) (task, error) {
	q, f, err := herdRequest(request)
	if err != nil {
		return nil, err
	}
	if f.output != "json" && f.output != "text" && f.output != "html" {
		return nil, fault.Value("herd", "output", jsonscan.Sample([]byte(f.output)), "one of json, text, html")
	}
	s, err := herd.NewStudy(q)
	if err != nil {
		return nil, err
	}
	return &study{refusal{"simulate"}, f, s}, nil
}

func (s *study) step(budget int) (answer []byte, again bool, err error) {
	done, err := s.Step(int64(budget))
	return nil, !done, err
}

func (s *study) state() ([]byte, error) { return progress(s.Progress()), nil }

func (s *study) finish() ([]byte, error) {
	for {
		if done, err := s.Step(1 << 40); err != nil || done {
			switch {
			case err != nil:
				return nil, err
			case s.output == "text":
				return render.SimulateText(s.Study, s.page), nil
			case s.output == "html":
				return render.SimulateHTML(s.Study), nil
			}
			return s.AppendJSON(nil), nil
		}
	}
}

// plan is the stream recommend.
type plan struct {
	refusal
	form
	*herd.Plan
}

func openRecommend(_ *Session, request []byte) (task, error) {
	q, f, err := herdRequest(request)
	if err != nil {
		return nil, err
	}
	if f.output != "json" && f.output != "text" {
		return nil, fault.Value("herd", "output", jsonscan.Sample([]byte(f.output)), "one of json, text")
	}
	p, err := herd.NewPlan(q)
	if err != nil {
		return nil, err
	}
	return &plan{refusal{"recommend"}, f, p}, nil
}

func (p *plan) step(budget int) (answer []byte, again bool, err error) {
	done, err := p.Step(int64(budget))
	return nil, !done, err
}

func (p *plan) state() ([]byte, error) { return progress(p.Progress()), nil }

func (p *plan) finish() ([]byte, error) {
	for {
		if done, err := p.Step(1 << 40); err != nil || done {
			if err != nil {
				return nil, err
			}
			a := p.Advice()
			if p.output == "text" {
				return render.RecommendText(&a, p.page), nil
			}
			return a.AppendJSON(nil), nil
		}
	}
}

func progress(share float64) []byte {
	b := jsonwrite.Fixed(jsonwrite.Key(jsonwrite.Object(nil), "progress"), share, 4)
	return jsonwrite.End(b, '}')
}

// atOnce makes an operation of a stream.
func atOnce(open func(*Session, []byte) (task, error)) func(*Session, []byte) ([]byte, error) {
	return func(s *Session, request []byte) ([]byte, error) {
		t, err := open(s, request)
		if err != nil {
			return nil, err
		}
		return t.finish()
	}
}
