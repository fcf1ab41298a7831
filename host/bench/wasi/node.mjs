// Runs a wasip1 program in Node with its own WASI: node node.mjs PROGRAM.wasm [ARG…]
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: {}, preopens: {} });
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject());
process.exit(wasi.start(instance));
