// Package source opens what a user names: files, standard input, plain or compressed, one or a rotated set.
//
// What is inside decides, not the name: gzip (of any number of members) and zstd are known by their first bytes. A folder,
// a missing file and cut compressed data are errors that name the input.
//
//	list, err := source.Resolve([]string{"access.log", "access.log.1", "access.log.2.gz"}, os.Stdin)
//	for _, s := range list {                    // oldest first: access.log.2.gz, access.log.1, access.log
//		r, err := s.Open()
//		…
//	}
package source

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/stormlint/stormlint/core/fault"
)

// Source is one input.
type Source struct {
	Name string // as the user wrote it; "-" for standard input
	Size int64  // of the file, compressed if it is; -1 when it is not known

	given io.Reader // standard input or text at hand; nil for a file
}

// Text is a source that the program holds itself.
func Text(name, text string) Source {
	return Source{Name: name, Size: int64(len(text)), given: strings.NewReader(text)}
}

// Resolve checks the names and puts each rotated set (NAME, NAME.1, NAME.2.gz, …) into the order of time, in the place
// of its first member. "-" is stdin, which can be named once.
func Resolve(names []string, stdin io.Reader) ([]Source, error) {
	var list []Source
	first := map[string]int{}
	seen := map[string]bool{}
	type file struct {
		name string
		info os.FileInfo
	}
	var files []file // a link, or the same path in other words, would count all of a log twice
	for i, name := range names {
		if seen[name] {
			return nil, &fault.Error{Code: fault.BadUsage, Package: "source", Source: name, Message: "the same input is named twice"}
		}
		seen[name] = true
		if base, _ := rotation(name); !has(first, base) {
			first[base] = i
		}
		if name == "-" {
			list = append(list, Source{Name: "-", Size: -1, given: stdin})
			continue
		}
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, &fault.Error{Code: fault.Unreadable, Package: "source", Source: name, Message: "no such file"}
		case err != nil:
			return nil, &fault.Error{Code: fault.Unreadable, Package: "source", Source: name, Message: plain(err)}
		case info.IsDir():
			return nil, &fault.Error{Code: fault.Unreadable, Package: "source", Source: name, Message: "this is a folder", Expected: "the files in it, " + strconv.Quote(strings.TrimRight(name, "/")+"/*.log") + " for one"}
		}
		size := info.Size()
		if !info.Mode().IsRegular() {
			size = -1
		} else {
			for _, f := range files {
				if os.SameFile(f.info, info) {
					return nil, &fault.Error{Code: fault.BadUsage, Package: "source", Source: name, Message: "the same file as " + f.name, Expected: "each file once"}
				}
			}
			files = append(files, file{name, info})
		}
		list = append(list, Source{Name: name, Size: size})
	}
	slices.SortStableFunc(list, func(a, b Source) int {
		baseA, ageA := rotation(a.Name)
		baseB, ageB := rotation(b.Name)
		return cmp.Or(cmp.Compare(first[baseA], first[baseB]), cmp.Compare(ageB, ageA))
	})
	return list, nil
}

func has(m map[string]int, key string) bool { _, ok := m[key]; return ok }

// rotation parts access.log.2.gz into access.log and 2; the age of a file that is no older member is 0.
func rotation(name string) (base string, age int) {
	base = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	if i := strings.LastIndexByte(base, '.'); i > 0 && len(base)-i <= 4 {
		if n, err := strconv.Atoi(base[i+1:]); err == nil && n > 0 {
			return base[:i], n
		}
	}
	return base, 0
}

// File opens a plain file, one that is neither compressed nor a pipe, for reading anywhere; ok is false for every other
// source.
func (s Source) File() (f *os.File, ok bool, err error) {
	if s.given != nil || s.Size < 0 {
		return nil, false, nil
	}
	f, err = os.Open(s.Name)
	if err != nil {
		return nil, false, &fault.Error{Code: fault.Unreadable, Package: "source", Source: s.Name, Message: plain(err)}
	}
	head := make([]byte, 4)
	n, _ := f.ReadAt(head, 0)
	if compression(head[:n]) != "" {
		return nil, false, f.Close()
	}
	return f, true, nil
}

// compression tells by the first bytes of an input how it is compressed.
func compression(head []byte) string {
	switch {
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b:
		return "gzip"
	case string(head) == "\x28\xb5\x2f\xfd",
		len(head) == 4 && head[0]>>4 == 5 && string(head[1:]) == "\x2a\x4d\x18": // a frame to be skipped comes first: pzstd
		return "zstd"
	}
	return ""
}

// Open gives the input's bytes, decompressed. Errors while reading name the source and are faults of code unreadable, or
// bad-syntax where compressed data is damaged or cut off: what was read before stands.
func (s Source) Open() (io.ReadCloser, error) {
	r := &reader{name: s.Name}
	raw := s.given
	if raw == nil {
		f, err := os.Open(s.Name)
		if err != nil {
			return nil, &fault.Error{Code: fault.Unreadable, Package: "source", Source: s.Name, Message: plain(err)}
		}
		r.close = append(r.close, f.Close)
		raw = f
	}
	buffered := bufio.NewReaderSize(&r.count, 256<<10)
	r.ahead = buffered
	r.count.from = raw
	head, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		r.Close()
		return nil, r.fault(err)
	}
	switch r.kind = compression(head); r.kind {
	case "gzip":
		z, err := gzip.NewReader(buffered)
		if err != nil {
			r.Close()
			return nil, r.fault(err)
		}
		z.Multistream(false)
		r.from = &members{z, buffered}
	case "zstd":
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			r.Close()
			return nil, r.fault(err)
		}
		r.from = z
		r.close = append(r.close, func() error { z.Close(); return nil })
	default:
		r.from = buffered
	}
	return r, nil
}

// Raw tells how many bytes of the file, still compressed, an opened source has read: for a progress bar.
func Raw(r io.Reader) int64 {
	if r, ok := r.(*reader); ok {
		return r.count.n
	}
	return 0
}

type reader struct {
	name  string
	kind  string // of compression, empty for none
	from  io.Reader
	ahead *bufio.Reader
	count counter
	close []func() error
}

func (r *reader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if err != nil && err != io.EOF {
		err = r.fault(err)
	}
	return n, err
}

func (r *reader) Close() error {
	var err error
	for _, c := range slices.Backward(r.close) {
		err = errors.Join(err, c())
	}
	return err
}

func (r *reader) fault(err error) error {
	if r.kind == "" || errors.As(err, new(*os.PathError)) {
		return &fault.Error{Code: fault.Unreadable, Package: "source", Source: r.name, Message: plain(err)}
	}
	at := r.count.n - int64(r.ahead.Buffered())
	f := &fault.Error{Code: fault.BadSyntax, Package: "source", Source: r.name, Message: fmt.Sprintf("damaged %s data near byte %d", r.kind, at)}
	switch {
	case errors.Is(err, errTrailing):
		f.Message = fmt.Sprintf("what follows the gzip data from byte %d on is no gzip", at)
	case errors.Is(err, io.ErrUnexpectedEOF):
		f.Message = fmt.Sprintf("%s data is cut off after %d bytes", r.kind, r.count.n)
	}
	return f
}

// members reads gzip data member by member, because what comes behind the last one is of three kinds: nothing, zeros that
// fill a block of a tape or a disk, and something that is no gzip.
type members struct {
	z    *gzip.Reader
	from *bufio.Reader
}

var errTrailing = errors.New("something that is no gzip follows")

// Read implements io.Reader.
func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		next, err := m.from.Peek(2)
		for len(next) > 0 && next[0] == 0 {
			m.from.Discard(1)
			next, err = m.from.Peek(2)
		}
		switch {
		case len(next) == 0:
			return 0, err
		case string(next) != "\x1f\x8b":
			return 0, errTrailing
		}
		if err := m.z.Reset(m.from); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		m.z.Multistream(false)
	}
}

// plain is the cause without Go's "open NAME:" before it.
func plain(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	return n, err
}
