// The module as GOOS=js builds it, started by Go's own loader, wasm_exec.js of the toolchain that built it: for those whose
// surroundings ask for that loader. It leaves globals behind: Go, and stand-ins for fs, process and path where there are none.
import "wasm-exec";
import { know, type Start } from "../src/instance.js";

interface Loader {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** Makes builds for Go's own loader known. */
export function knowGo(): void {
  know("gojs", start);
}

const start: Start = (module) => {
  const { Go } = globalThis as unknown as { Go: new () => Loader };
  const go = new Go();
  const instance = new WebAssembly.Instance(module, go.importObject);
  void go.run(instance); // main waits for ever, so that exports can be called
  return { exports: instance.exports, memory: instance.exports.mem as WebAssembly.Memory };
};
