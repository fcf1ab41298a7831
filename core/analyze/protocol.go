package analyze

import (
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
)

// answer is what a refusal or a close code asks of the client.
type answer uint8

const (
	again answer = iota // try again, as after any failure
	later               // try again, but not now
	final               // do not try again with what you have
)

// protocol is what the private close codes 4000 to 4999 of an application protocol mean; the same number is final in one
// and "try again" in another.
type protocol struct {
	name         string
	final, later []span16
}

type span16 struct{ from, to uint16 }

// protocols, from the projects' own documents.
var protocols = []protocol{
	{"", []span16{{4401, 4401}, {4403, 4403}}, []span16{{4429, 4429}}},
	{"actioncable", nil, nil},
	{"discord", []span16{{4004, 4004}, {4010, 4014}}, []span16{{4008, 4008}}},
	{"graphql-ws", []span16{{4400, 4401}, {4403, 4406}, {4409, 4409}}, []span16{{4429, 4429}}},
	{"home-assistant", nil, nil},
	{"phoenix", nil, nil},
	{"pusher", []span16{{4000, 4099}}, []span16{{4100, 4199}}},
	{"subscriptions-transport-ws", []span16{{4400, 4400}}, nil},
}

// Protocols lists the names that Options.Protocol takes.
func Protocols() []string {
	var names []string
	for i := range protocols[1:] {
		names = append(names, protocols[i+1].name)
	}
	return names
}

func findProtocol(name string) (*protocol, error) {
	for i := range protocols {
		if protocols[i].name == name {
			return &protocols[i], nil
		}
	}
	return nil, fault.Value("analyze", "protocol", strconv.Quote(cut(name)), "one of "+strings.Join(Protocols(), ", "))
}

// of tells what an event asks of its client.
func (p *protocol) of(kind connlog.Kind, outcome connlog.Outcome, status, code uint16) answer {
	if kind == connlog.Attempt {
		switch {
		case outcome == connlog.OK:
			return again
		case outcome == connlog.Limited, status == 429:
			return later
		case status == 401, status == 403, status == 410:
			return final
		}
		if code == 0 {
			return again
		}
	}
	switch code {
	case 1013:
		return later
	case 1002, 1003, 1007, 1008, 1010:
		return final
	}
	for _, s := range p.final {
		if s.from <= code && code <= s.to {
			return final
		}
	}
	for _, s := range p.later {
		if s.from <= code && code <= s.to {
			return later
		}
	}
	return again
}
