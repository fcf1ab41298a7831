module github.com/stormlint/stormlint

go 1.26

// npm's folders may hold Go files of strangers; ./... must not walk into them.
ignore ./js

require github.com/tetratelabs/wazero v1.12.0

require golang.org/x/sys v0.44.0 // indirect
