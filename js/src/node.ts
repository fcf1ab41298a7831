import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { StormlintError } from "./failure.js";
import { Stormlint } from "./stormlint.js";
import { platform } from "./platform-node.js";

export { StormlintError, type Code, type Place } from "./failure.js";
export type { Input } from "./input.js";
export type { LintRequest, Stormlint } from "./stormlint.js";
export type { Analyzer, Part } from "./analyzer.js";
export type { Analysis, FilePath, NamedInput, Progress, RunOptions } from "./pool.js";
export type { AnalyzeOptions, PageRequest } from "./options.js";
export type * from "./report.js";

/** Where the module comes from: bytes, a compiled module, a file: URL or a path; by default the package's own. */
export type Source = Uint8Array | ArrayBuffer | WebAssembly.Module | URL | string;

/** Loads the module. */
export async function load(source: Source = own()): Promise<Stormlint> {
  if (source instanceof WebAssembly.Module) return new Stormlint(source, platform);
  const bytes = typeof source === "string" || source instanceof URL ? await readFile(source).catch(missing) : source;
  return new Stormlint(await WebAssembly.compile(bytes as BufferSource).catch(broken), platform);
}

/** Loads the module without waiting: some 50 ms, best done once. */
export function loadSync(source: Source = own()): Stormlint {
  if (source instanceof WebAssembly.Module) return new Stormlint(source, platform);
  let bytes: Uint8Array | ArrayBuffer;
  try {
    bytes = typeof source === "string" || source instanceof URL ? readFileSync(source) : source;
  } catch (cause) {
    return missing(cause);
  }
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(bytes as BufferSource);
  } catch (cause) {
    return broken(cause);
  }
  return new Stormlint(module, platform);
}

function own(): string {
  return fileURLToPath(new URL("./stormlint.wasm", import.meta.url));
}

function missing(cause: unknown): never {
  throw new StormlintError("not-built", "the module stormlint.wasm cannot be read", {}, { cause });
}

function broken(cause: unknown): never {
  throw new StormlintError("bad-state", "the bytes are no WebAssembly module", {}, { cause });
}
