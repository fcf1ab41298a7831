// What workers are made of, and what else is fetched with the page.
import { told } from "./told.js";

/** What every worker is made from: the script, fetched once, and the compiled module. */
export interface Office {
  script: string;
  module: WebAssembly.Module;
}

/** Fetches what workers are made of. After this nothing is fetched any more. */
export async function open(base: URL): Promise<Office> {
  const [script, module] = await Promise.all([fetched(new URL("worker.js", base)).then((r) => r.blob()), compiled(new URL("stormlint.wasm", base))]);
  return { script: URL.createObjectURL(new Blob([script], { type: "text/javascript" })), module };
}

/** Fetches a part of the page, or tells that it is not there. */
export async function fetched(url: URL): Promise<Response> {
  let r: Response;
  try {
    r = await fetch(url);
  } catch {
    throw told("not-served", url.pathname);
  }
  if (!r.ok) throw told("not-served", `${url.pathname}: HTTP ${r.status}`);
  return r;
}

// A module that comes with another type is compiled all the same, only later; one that is something else is told.
async function compiled(url: URL): Promise<WebAssembly.Module> {
  const r = await fetched(url);
  const kind = (r.headers.get("content-type") ?? "").split(";")[0];
  try {
    return kind === "application/wasm" ? await WebAssembly.compileStreaming(r) : await WebAssembly.compile(await r.arrayBuffer());
  } catch {
    throw told("wrong-module", `${url.pathname} (${kind || "no type"})`);
  }
}
