import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { StormlintError } from "./failure.js";

/** Where the module comes from: bytes, a compiled module, a file: URL or a path; by default the package's own. */
export type Source = Uint8Array | ArrayBuffer | WebAssembly.Module | URL | string;

/** Compiles the module, or gives it where it is compiled. */
export async function compile(source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = typeof source === "string" || source instanceof URL ? await readFile(source).catch(missing) : source;
  return WebAssembly.compile(bytes as BufferSource).catch(broken);
}

/** The same without waiting. */
export function compileSync(source: Source): WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source;
  let bytes: Uint8Array | ArrayBuffer;
  try {
    bytes = typeof source === "string" || source instanceof URL ? readFileSync(source) : source;
  } catch (cause) {
    return missing(cause);
  }
  try {
    return new WebAssembly.Module(bytes as BufferSource);
  } catch (cause) {
    return broken(cause);
  }
}

function missing(cause: unknown): never {
  throw new StormlintError("not-built", "the module's file cannot be read", {}, { cause });
}

function broken(cause: unknown): never {
  throw new StormlintError("bad-state", "the bytes are no WebAssembly module", {}, { cause });
}
