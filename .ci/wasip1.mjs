// Runs a wasip1 test program on Node's V8, with the files and the environment of the caller: go test -exec "node wasip1.mjs".
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: process.env, preopens: { '/': '/' } });
const imports = wasi.getImportObject();
// Node 20 crashes in its own proc_exit after memory has grown by hundreds of megabytes.
imports.wasi_snapshot_preview1 = { ...imports.wasi_snapshot_preview1, proc_exit: (code) => process.reallyExit(code) };
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), imports);
wasi.start(instance);
