import { StormlintError } from "./failure.js";
import { Stormlint } from "./stormlint.js";
import { platform } from "./platform-browser.js";

export { StormlintError, type Code, type Place } from "./failure.js";
export type { Input } from "./input.js";
export type { LintRequest, Stormlint } from "./stormlint.js";
export type { Analyzer, Part } from "./analyzer.js";
export type { Analysis, FilePath, NamedInput, Progress, RunOptions } from "./pool.js";
export type { AnalyzeOptions, PageRequest } from "./options.js";
export type * from "./report.js";

/** Where the module comes from: bytes, a compiled module, a response or its URL; by default beside this script. */
export type Source = Uint8Array | ArrayBuffer | WebAssembly.Module | Response | URL | string;

/** Loads the module, compiling while it arrives. */
export async function load(source: Source = new URL("./stormlint.wasm", import.meta.url)): Promise<Stormlint> {
  if (source instanceof WebAssembly.Module) return new Stormlint(source, platform);
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new Stormlint(await WebAssembly.compile(source as BufferSource).catch(broken), platform);
  const response = source instanceof Response ? source : await fetch(source).catch(missing);
  if (!response.ok) return missing(new Error(`HTTP status ${response.status}`));
  const streaming = response.headers.get("content-type") === "application/wasm";
  const module = streaming
    ? await WebAssembly.compileStreaming(response).catch(broken)
    : await WebAssembly.compile(await response.arrayBuffer()).catch(broken);
  return new Stormlint(module, platform);
}

/** Loads the module from bytes at hand, without waiting. Browsers refuse large modules on the main thread: use a worker. */
export function loadSync(source: Uint8Array | ArrayBuffer | WebAssembly.Module): Stormlint {
  let module: WebAssembly.Module;
  try {
    module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source as BufferSource);
  } catch (cause) {
    return broken(cause);
  }
  return new Stormlint(module, platform);
}

function missing(cause: unknown): never {
  throw new StormlintError("not-built", "the module stormlint.wasm cannot be fetched", {}, { cause });
}

function broken(cause: unknown): never {
  throw new StormlintError("bad-state", "the bytes are no WebAssembly module", {}, { cause });
}
