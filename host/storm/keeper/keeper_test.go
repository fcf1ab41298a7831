//go:build linux

package keeper

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is the keeper's process, and the caller's that is killed, when the test starts itself again as such.
func TestMain(m *testing.M) {
	switch os.Getenv("KEEPER_TEST") {
	case "keep":
		if Keep(os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	case "caller":
		os.Setenv("KEEPER_TEST", "keep")
		k, err := Start([]string{os.Args[0]}, []Program{{Args: []string{"sh", "-c", script, os.Getenv("KEEPER_MARK")}}})
		if err != nil {
			panic(err)
		}
		<-k.Events
		io.WriteString(os.Stdout, "started\n")
		io.Copy(io.Discard, os.Stdin)
		panic("the caller's fault")
	}
	os.Exit(m.Run())
}

// script ignores SIGTERM, has a child in the background, and one in a session of its own that is nobody's child any more.
const script = `trap '' TERM
sleep 1000 &
(setsid sh -c 'trap "" TERM HUP; sleep 1001' "$0" &)
echo ready >&2
while :; do sleep 1; done`

// marked lists the processes whose environment carries a mark: whatever they have become.
func marked(t *testing.T, mark string) (list []string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		env, err := os.ReadFile(e)
		if err == nil && bytes.Contains(env, []byte("MARKED="+mark)) && filepath.Base(filepath.Dir(e)) != "self" {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "cmdline"))
			list = append(list, strings.ReplaceAll(string(name), "\x00", " "))
		}
	}
	return list
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func start(t *testing.T, list ...Program) *Keeper {
	t.Helper()
	t.Setenv("KEEPER_TEST", "keep")
	k, err := Start([]string{os.Args[0]}, list)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestNothingIsLeft(t *testing.T) {
	left := "left" + strconv.Itoa(os.Getpid())
	env := []string{"MARKED=" + left}
	k := start(t, Program{Args: []string{"sh", "-c", script}, Env: env}, Program{Args: []string{"sleep", "1000"}, Env: env})
	waitFor(t, "five processes", func() bool { return len(marked(t, left)) >= 5 })
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if list := marked(t, left); len(list) > 0 {
		t.Errorf("left behind: %q", list)
	}
}

// A caller that panics or is killed leaves nothing either: the pipe ends.
func TestCallerIsGone(t *testing.T) {
	for _, way := range []string{"panic", "kill"} {
		mark := way + strconv.Itoa(os.Getpid())
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "KEEPER_TEST=caller", "MARKED="+mark)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		bufio.NewReader(out).ReadString('\n')
		waitFor(t, "all processes", func() bool { return len(marked(t, mark)) >= 6 }) // the caller, its keeper, and four
		if way == "kill" {
			c.Process.Signal(syscall.SIGKILL)
		} else {
			in.Close()
		}
		c.Wait()
		waitFor(t, "an end of all after "+way, func() bool { return len(marked(t, mark)) == 0 })
	}
}

func TestEvents(t *testing.T) {
	k := start(t, Program{Args: []string{"sh", "-c", "echo out; echo 'it is broken' >&2; exit 3"}})
	var e Event
	for e = range k.Events {
		if e.Ended {
			break
		}
	}
	if e.Status != "exit status 3" || e.Said != "it is broken" || e.Program != 0 {
		t.Errorf("%+v", e)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func TestMissingProgram(t *testing.T) {
	if _, err := Start([]string{os.Args[0]}, []Program{{Args: []string{"no-such-program"}}}); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("%v", err)
	}
}

// A keeper that is no keeper, and does not read its list.
func TestKeeperGone(t *testing.T) {
	list := []Program{{Args: []string{"true", strings.Repeat("x", 1<<20)}}}
	if _, err := Start([]string{"false"}, list); err == nil || !strings.Contains(err.Error(), "gone") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("%v", err)
	}
}

// A program that has moved into another group, and is deaf to SIGTERM, does not keep the keeper waiting.
func TestMovedToAnotherGroup(t *testing.T) {
	mark := "moved" + strconv.Itoa(os.Getpid())
	k := start(t, Program{Args: []string{"python3", "-c", `import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execvp("sleep", ["sleep", "1002"])
while os.getpgid(child) != child: time.sleep(0.001)
os.setpgid(0, child)
os.execvp("sleep", ["sleep", "1003"])`}, Env: []string{"MARKED=" + mark}})
	waitFor(t, "both asleep", func() bool { return strings.Count(strings.Join(marked(t, mark), ""), "sleep 100") == 2 })
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if list := marked(t, mark); len(list) > 0 {
		t.Errorf("left behind: %q", list)
	}
}

// The number of a program that was waited for is nobody's to signal, even while a group of that number is there: who is left in
// it can still answer.
func TestWaitedForIsNotSignalled(t *testing.T) {
	answer := filepath.Join(t.TempDir(), "answer")
	c := exec.Command("sh", "-c", `sh -c 'trap "echo alive >$0; exit" TERM; echo $$; exec >&- 2>&-; while :; do sleep 0.01; done' "$0" &`, answer)
	Apart(c)
	out, err := c.Output() // waits
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	finish(c.Process)
	syscall.Kill(child, syscall.SIGTERM)
	waitFor(t, "an end of the child", func() bool {
		state, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		return err != nil || bytes.Contains(state, []byte(") Z "))
	})
	if text, err := os.ReadFile(answer); string(text) != "alive\n" {
		t.Errorf("its group was ended: %q %v", text, err)
	}
}
