import { loadSync } from "../src/node.js";

let compiled: WebAssembly.Module | undefined;

/** The package's own module, compiled once and only when it is needed. */
export function module(): WebAssembly.Module {
  return (compiled ??= loadSync().module);
}
