package abi

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// sniff takes {options} and, as the request's body, the head of an input, and answers the plan by which all parts of that
// input are to be read. Give it HeadSize bytes where they are at hand.
func sniff(s *Session, request []byte) ([]byte, error) {
	line, head := split(request)
	l, err := parseLogs(line)
	if err != nil {
		return nil, err
	}
	plan, err := s.plan(l, head)
	if err != nil {
		return nil, err
	}
	return plan.AppendJSON(nil), nil
}

// planned takes a plan and answers {"splits","settled"}: whether the input may be cut into parts, and whether the first MiB
// was enough of a head; where it was not, sniff again with HeadSize bytes.
func planned(_ *Session, request []byte) ([]byte, error) {
	plan, err := connlog.ParsePlan(request)
	if err != nil {
		return nil, err
	}
	b := jsonwrite.Bool(jsonwrite.Key(jsonwrite.Object(nil), "splits"), plan.Splits())
	return jsonwrite.End(jsonwrite.Bool(jsonwrite.Key(b, "settled"), settled(plan)), '}'), nil
}

// HeadSize is how much of an input decides how it is read. Any more changes nothing.
const HeadSize = 64 << 20

// firstHead is how much is looked at first: enough unless WebSocket paths are to be learned.
const firstHead = 1 << 20

// plan decides from the head of an input; it is the same whether it was given firstHead or more, or everything.
func (s *Session) plan(l logs, head []byte) (*connlog.Plan, error) {
	plan, err := connlog.Sniff(s.catalogue(), head[:min(len(head), firstHead)], l.read)
	if err != nil || settled(plan) || len(head) <= firstHead {
		return plan, err
	}
	return connlog.Sniff(s.catalogue(), head[:min(len(head), HeadSize)], l.read)
}

// settled says that a plan learns nothing from a longer head: the base form tells attempts from anything else by itself. Where
// no format knew a record, as behind a first line that is longer than the head, a longer one may tell.
func settled(p *connlog.Plan) bool {
	return !p.Unknown && len(p.Wrappers) == 0 && len(p.Formats) == 1 && p.Formats[0].Name == connlog.Base{}.Name()
}
