import { StormlintError } from "./failure.js";

/** Where the module comes from: bytes, a compiled module, a response or its URL; by default beside this script. */
export type Source = Uint8Array | ArrayBuffer | WebAssembly.Module | Response | URL | string;

/** Compiles the module while it arrives, or gives it where it is compiled. */
export async function compile(source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return WebAssembly.compile(source as BufferSource).catch(broken);
  const response = source instanceof Response ? source : await fetch(source).catch(missing);
  if (!response.ok) return missing(new Error(`HTTP status ${response.status}`));
  const streaming = response.headers.get("content-type") === "application/wasm";
  return streaming
    ? await WebAssembly.compileStreaming(response).catch(broken)
    : await WebAssembly.compile(await response.arrayBuffer().catch(missing)).catch(broken);
}

/** The same without waiting, of bytes at hand. */
export function compileSync(source: Uint8Array | ArrayBuffer | WebAssembly.Module): WebAssembly.Module {
  try {
    return source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source as BufferSource);
  } catch (cause) {
    return broken(cause);
  }
}

function missing(cause: unknown): never {
  throw new StormlintError("not-built", "the module cannot be fetched", {}, { cause });
}

function broken(cause: unknown): never {
  throw new StormlintError("bad-state", "the bytes are no WebAssembly module", {}, { cause });
}
