package wheel

import (
	"testing"
	"time"
)

// Whatever is set fires once, never early, however the sleeper is woken; nothing fires after the end.
func TestClock(t *testing.T) {
	fired := make(chan int, 100)
	k := NewClock(tick, func(i int) { fired <- i })
	timers := make([]Timer[int], 50)
	begin := time.Now()
	for i := range timers {
		timers[i].Value = i
		if !k.Set(&timers[i], time.Duration(len(timers)-i)*time.Millisecond) { // each before the last: the sleeper is woken every time
			t.Fatal("not set")
		}
	}
	for range timers {
		i := <-fired
		if early := time.Duration(len(timers)-i)*time.Millisecond - time.Since(begin); early > 0 {
			t.Errorf("timer %d is early by %v", i, early)
		}
	}
	k.Set(&timers[0], time.Hour)
	if !k.Stop(&timers[0]) || k.Stop(&timers[0]) {
		t.Error("stopping")
	}
	k.Set(&timers[1], time.Hour)
	k.End()
	if k.Set(&timers[2], 0) || len(fired) > 0 {
		t.Error("an ended clock goes on")
	}
}
