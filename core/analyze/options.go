package analyze

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/order"
	"github.com/stormlint/stormlint/core/report"
)

// Key says what makes two events the same client's.
type Key uint8

// The keys; the zero value is the default.
const (
	ByIP      Key = iota // the client's address, found behind trusted proxies; text that is no address stands for itself
	ByIPAgent            // address and user agent: apart where many share an address
	ByConn               // what the log joins a connection's lines by, such as an MQTT client id
	ByClient             // the client column as it is printed
)

var keyWords = [...]string{"ip", "ip+ua", "conn", "client"}

// String is the word for --key.
func (k Key) String() string { return keyWords[min(int(k), len(keyWords)-1)] }

// ParseKey reads the word for --key.
func ParseKey(word string) (Key, error) {
	for i, w := range keyWords {
		if w == word {
			return Key(i), nil
		}
	}
	return 0, fault.Value("analyze", "key", strconv.Quote(word), "ip, ip+ua, conn or client")
}

// Options say how events become a report. The zero Options is the documented default of each field; New is the place
// that refuses.
type Options struct {
	Key       Key
	Proxies   address.Proxies // whose forwarded lists are believed; nil believes none
	Since     int64           // ns since 1970 UTC, included; 0 for the beginning
	Until     int64           // ns since 1970 UTC, not included; 0 for the end
	Top       int             // clients in the report; 0 is 100, −1 is all
	Threshold int64           // attempts a minute from which a client is marked; 0 is 60
	Capacity  float64         // handshakes a second that the server can do; 0 for unknown
	Budget    int64           // attempts a client may make a day; 0 for no limit
	Protocol  string          // whose close codes 4000 to 4999 are meant (see Protocols); "" for none in particular
	Probes    bool            // judge health checks like clients
	Tiers     bool            // count every source, even one that tells of the same handshakes as another
	Marks     []report.Mark   // deploys and the like, in any order
	Seed      uint64          // of the hashes over clients, best a secret; no result depends on it
}

// The defaults of Options.
const (
	DefaultTop       = 100
	DefaultThreshold = 60
)

// validate gives the options with defaults filled in.
func (o Options) validate() (Options, error) {
	switch {
	case int(o.Key) >= len(keyWords):
		return o, fault.Value("analyze", "key", strconv.Itoa(int(o.Key)), "ip, ip+ua, conn or client")
	case o.Until != 0 && o.Until <= o.Since:
		return o, fault.Value("analyze", "until", instant(o.Until), "an instant after since, "+instant(o.Since))
	case o.Top < -1:
		return o, fault.Value("analyze", "top", strconv.Itoa(o.Top), "a number of clients, 0 for 100, -1 for all")
	case o.Capacity != 0 && !(o.Capacity > 0 && o.Capacity <= 1e9):
		return o, fault.Value("analyze", "capacity", strconv.FormatFloat(o.Capacity, 'g', -1, 64), "above 0 and at most 1000000000 handshakes a second")
	case o.Budget < 0:
		return o, fault.Value("analyze", "budget", strconv.FormatInt(o.Budget, 10), "at least 1 attempt a day")
	case o.Threshold < 0:
		return o, fault.Value("analyze", "threshold", strconv.FormatInt(o.Threshold, 10), "attempts a minute, 0 for 60")
	}
	o.Marks = slices.Clone(o.Marks)
	order.By(o.Marks, func(a, b report.Mark) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Label, b.Label)) })
	if o.Top == 0 {
		o.Top = DefaultTop
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	return o, nil
}

func instant(ns int64) string { return string(civil.AppendRFC3339(nil, ns, civil.Millisecond)) }

// reading is the part of the options that decides which events are kept under which key: states that differ in it do
// not merge.
func (o *Options) reading() string {
	b := append([]byte(nil), o.Key.String()...)
	for _, p := range o.Proxies {
		b = append(append(b, ' '), p.String()...)
	}
	b = strconv.AppendInt(append(b, " since "...), o.Since, 10)
	return string(strconv.AppendInt(append(b, " until "...), o.Until, 10))
}

// outside reports an instant beyond the asked-for range.
func (o *Options) outside(t int64) bool {
	return o.Since != 0 && t < o.Since || o.Until != 0 && t >= o.Until
}
