package proxy

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestWindow: handshakes are sent when the window lets them, arrive at any moment from then until their answer, and a
// backend that stalls answers many at once. However that falls, no second sees more arrivals than the limit. Each
// arrival is put where it does most harm: at either end of its range, or anywhere in it.
func TestWindow(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			const most = 20
			rng := rand.New(rand.NewPCG(seed, 3))
			w := newWindow()
			var arrivals []int64
			var turned int
			done := make(chan struct{ at, n int64 }, 4096)
			sent := 0
			for range 3000 {
				delay := time.Duration(rng.Int64N(int64([]time.Duration{time.Millisecond, 50 * time.Millisecond, 1500 * time.Millisecond}[rng.IntN(3)])))
				place := rng.Float64()*3 - 1 // a third at each end
				sent++
				go func() {
					if err := w.enter(context.Background(), most); err != nil {
						done <- struct{ at, n int64 }{0, 0}
						return
					}
					begin := w.now()
					time.Sleep(delay)
					at := begin + int64(min(max(place, 0), 1)*float64(delay))
					w.leave()
					done <- struct{ at, n int64 }{at, 1}
				}()
				if rng.IntN(50) == 0 {
					time.Sleep(time.Duration(rng.Int64N(int64(2 * time.Second))))
				}
				time.Sleep(time.Duration(rng.Int64N(int64(100 * time.Millisecond))))
			}
			for range sent {
				d := <-done
				if d.n == 0 {
					turned++
					continue
				}
				arrivals = append(arrivals, d.at)
			}
			slices.Sort(arrivals)
			worst := 0
			for i, j := 0, 0; i < len(arrivals); i++ {
				for arrivals[i]-arrivals[j] >= int64(time.Second) {
					j++
				}
				worst = max(worst, i-j+1)
			}
			t.Logf("seed %d: %d arrived, %d turned away, at most %d in a second", seed, len(arrivals), turned, worst)
			if worst > most || worst < most-1 || uint64(turned) != w.full.Load() {
				t.Errorf("seed %d: %d in a second, %d allowed; %d counted as turned away", seed, worst, most, w.full.Load())
			}
			if w.out != 0 || len(w.line) != 0 {
				t.Errorf("seed %d: %d out, %d in the line at the end", seed, w.out, len(w.line))
			}
		})
	}
}

// TestWindowForgets: whoever goes away gives its place in the line up, and a backend that answers nothing turns the next
// away in time.
func TestWindowForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWindow()
		if err := w.enter(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var gone atomic.Int32
		go func() {
			if errors.Is(w.enter(ctx, 1), context.Canceled) {
				gone.Add(1)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		start := time.Now()
		if err := w.enter(context.Background(), 1); !errors.Is(err, errFull) || time.Since(start) != patience {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		w.leave()
		if err := w.enter(context.Background(), 1); err != nil || gone.Load() != 1 || w.full.Load() != 1 {
			t.Errorf("%v; %d gone, %d turned away", err, gone.Load(), w.full.Load())
		}
		if time.Since(start) != patience+time.Second {
			t.Errorf("the place came back after %v", time.Since(start))
		}
	})
}
