module github.com/stormlint/stormlint

go 1.26

// npm's folders may hold Go files of strangers; ./... must not walk into them.
ignore ./js

require (
	github.com/alecthomas/kong v1.17.0
	github.com/klauspost/compress v1.20.4
	github.com/tetratelabs/wazero v1.12.0
)

require golang.org/x/sys v0.46.0 // indirect
