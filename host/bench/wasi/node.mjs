// Runs a wasip1 program in Node with its own WASI: node node.mjs PROGRAM.wasm [ARG…]. The program's clock is the CPU time of
// the process, so that a benchmark inside it counts its own work and not that of its neighbours.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: {}, preopens: {} });
let memory;
const imports = {
  wasi_snapshot_preview1: {
    ...wasi.getImportObject().wasi_snapshot_preview1,
    clock_time_get(id, precision, at) {
      const spent = process.cpuUsage();
      new DataView(memory.buffer).setBigUint64(at, BigInt(spent.user + spent.system) * 1000n, true);
      return 0;
    },
  },
};
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), imports);
memory = instance.exports.memory;
process.exitCode = wasi.start(instance);
