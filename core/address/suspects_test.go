package address

import "testing"

func TestSuspects(t *testing.T) {
	const second = int64(1_000_000_000)
	var s Suspects
	told := 0
	for i := range 40 { // one peer carries all, and shows a new address each time
		suspected, news := s.Observe("192.0.2.1", 1, uint64(100+i), int64(i)*second/10)
		if want := i >= ProxyAddresses-1; suspected != want {
			t.Fatalf("handshake %d: suspected %v", i, suspected)
		}
		if news {
			told++
		}
	}
	if told != 1 || len(s.List()) != 1 || s.List()[0] != "192.0.2.1" {
		t.Errorf("told %d times, list %q", told, s.List())
	}
	for i := range 300 { // others come: it carries too little
		s.Observe("other", uint64(1000+i%100), 0, 5*second)
	}
	if suspected, _ := s.Observe("192.0.2.1", 1, 0, 5*second); suspected {
		t.Error("a peer of a tenth of the handshakes is suspected")
	}
	var quiet Suspects
	for i := range 1000 { // a client that always shows one address
		if suspected, _ := quiet.Observe("192.0.2.1", 1, 7, int64(i)); suspected {
			t.Fatal("one forwarded address is no crowd")
		}
	}
	for i := range ProxyAddresses {
		quiet.Observe("192.0.2.1", 1, uint64(10+i), 0)
	}
	for range 3 { // nothing for minutes: the past fades
		quiet.Observe("192.0.2.1", 1, 0, quiet.turn)
	}
	if len(quiet.List()) != 0 {
		t.Error("suspected for ever")
	}
}
