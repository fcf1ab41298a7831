//go:build !(amd64 || arm64) || go1.28

package decode

// Fastest is encoding/json: sonic does not compile to machine code here.
func Fastest() Library { return Std() }
