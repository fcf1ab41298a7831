// wasm_exec.js of the Go that built the module: it is copied beside the bundles and never edited.
declare module "wasm-exec" {}
