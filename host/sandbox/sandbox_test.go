package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/wasm/abi"
	"github.com/stormlint/stormlint/wasm/module/moduletest"
)

// A module that dies is a named error; the instance is gone, and the next call works.
func TestCrash(t *testing.T) {
	ctx := context.Background()
	s, err := New(ctx, moduletest.Program(t, "./host/sandbox/testdata/crash"), Options{MemoryLimit: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := engine.New(s)
	for _, c := range []struct{ op, want string }{
		{"panic", "sandbox: the module crashed in call: panic"},
		{"index", "sandbox: the module crashed in call: panic: runtime error: index out of range [5] with length 0"},
		{"exit", "sandbox: the module exited with code 7 in call"},
		{"memory", "sandbox: the module ran out of memory in call, expected at most 64 MiB to be enough"},
		{"stack", "sandbox: the module "},
		{"length", "sandbox: the module's answer lies outside its memory"},
		{"pointer", "sandbox: the module's answer lies outside its memory"},
		{"envelope", "sandbox: engine: the error envelope cannot be read"},
	} {
		_, err := e.Call(ctx, c.op, nil)
		if !errors.Is(err, fault.Crashed) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.op, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: the error tells what the module said: %v", c.op, err)
		}
		if _, err := e.Call(ctx, "version", nil); err != nil {
			t.Errorf("after %s: %v", c.op, err)
		}
	}
	b, err := e.Call(ctx, "reach", nil)
	if err != nil || string(b) != "reached: " {
		t.Errorf("the module got out: %s %v", b, err)
	}
}

// In the module as it ships a fault says nothing: it traps. That is a crash as any other.
func TestTrap(t *testing.T) {
	ctx := context.Background()
	s, err := New(ctx, moduletest.Trapping(t, "./host/sandbox/testdata/crash", "bare"), Options{MemoryLimit: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := engine.New(s)
	for op, want := range map[string]string{
		"index":  "sandbox: the module crashed in call: wasm error: unreachable",
		"panic":  "sandbox: the module crashed in call: panic",
		"memory": "sandbox: the module ran out of memory in call, expected at most 64 MiB to be enough",
		"stack":  "sandbox: the module ",
	} {
		if _, err := e.Call(ctx, op, nil); !errors.Is(err, fault.Crashed) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", op, err, want)
		}
		if _, err := e.Call(ctx, "version", nil); err != nil {
			t.Errorf("after %s: %v", op, err)
		}
	}
}

func TestWrongModules(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		wasm []byte
		code fault.Code
	}{
		"nothing":         {nil, fault.BadState},
		"text":            {[]byte("hello"), fault.BadState},
		"an empty module": {[]byte("\x00asm\x01\x00\x00\x00"), fault.Mismatch},
	} {
		if _, err := New(ctx, c.wasm, Options{}); !errors.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if err := compare(1, 2, nil); !errors.Is(err, fault.Mismatch) || !strings.Contains(err.Error(), "abi of the module is 2, expected 1") {
		t.Errorf("another abi: %v", err)
	}
	old := func() ([]byte, error) { return []byte(`{"version":"0.0.1"}`), nil }
	if err := compare(1, 1, old); err == nil || !strings.Contains(err.Error(), `"0.0.1", expected "`+abi.Product) {
		t.Errorf("another version: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{MemoryLimit: 1}, {MemoryLimit: 5 << 30}, {KeptMemory: -1}, {KeptInstances: -1}} {
		if _, err := New(context.Background(), nil, o); !errors.Is(err, fault.BadValue) {
			t.Errorf("%+v: %v, want bad-value", o, err)
		}
	}
}

// Instances are kept and used again, at most as many as allowed; a closed sandbox says so.
func TestPool(t *testing.T) {
	ctx := context.Background()
	s, err := New(ctx, moduletest.Guest(t), Options{KeptInstances: 1, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := s.Take(ctx)
	b, err := s.Take(ctx)
	if err != nil || a == b {
		t.Fatalf("two takers share an instance: %v", err)
	}
	s.Give(a, true)
	s.Give(b, true)
	if len(s.idle) != 1 || a.(*instance).dead || !b.(*instance).dead {
		t.Error("not exactly one instance was kept")
	}
	if c, _ := s.Take(ctx); c != a {
		t.Error("the kept instance was not used again")
	}
	s.Close()
	if _, err := s.Take(ctx); !errors.Is(err, fault.Closed) {
		t.Errorf("Take after Close: %v", err)
	}
	s.Give(a, true)
	s.Close()
}
