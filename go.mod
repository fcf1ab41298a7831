module github.com/stormlint/stormlint

go 1.26

// npm's folders may hold Go files of strangers; ./... must not walk into them.
ignore ./js
