package engine_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/host/sandbox"
	"github.com/stormlint/stormlint/wasm/module/moduletest"
)

// both runs a test on the native and on the sandboxed engine.
func both(t *testing.T, test func(t *testing.T, e *engine.Engine)) {
	t.Run("native", func(t *testing.T) { test(t, engine.Native(nil)) })
	t.Run("wasm", func(t *testing.T) {
		s, err := sandbox.New(t.Context(), moduletest.Guest(t), sandbox.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		test(t, engine.New(s))
	})
}

func TestCall(t *testing.T) {
	want, err := engine.Native(nil).Call(t.Context(), "version", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, refusal := engine.Native(nil).Call(t.Context(), "no-such", nil)
	both(t, func(t *testing.T, e *engine.Engine) {
		for range 3 {
			got, err := e.Call(t.Context(), "version", []byte("{}"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %v; want %s", got, err, want)
			}
			_, err = e.Call(t.Context(), "no-such", nil)
			if !errors.Is(err, fault.NotFound) || err.Error() != refusal.Error() {
				t.Errorf("unknown operation: %v, want %v", err, refusal)
			}
			if _, err = e.Open(t.Context(), "no-such", nil); !errors.Is(err, fault.NotFound) {
				t.Errorf("unknown stream: %v", err)
			}
		}
	})
}

func TestDeadline(t *testing.T) {
	both(t, func(t *testing.T, e *engine.Engine) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := e.Call(ctx, "version", nil)
		if !errors.Is(err, fault.Deadline) || !errors.Is(err, context.Canceled) {
			t.Errorf("Call after the end: %v", err)
		}
		if _, err := e.Open(ctx, "analyze", nil); !errors.Is(err, fault.Deadline) {
			t.Errorf("Open after the end: %v", err)
		}
	})
}
