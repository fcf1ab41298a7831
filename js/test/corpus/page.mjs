// The page's side: bundled by run.mjs and run in Chromium.
import { Instance } from "../../src/instance.ts";
import { answer, digest } from "./answer.mjs";

globalThis.corpus = async (cases) => {
  const module = await WebAssembly.compileStreaming(fetch("/stormlint.wasm"));
  const read = async (path) => new Uint8Array(await (await fetch("/testdata/" + encodeURIComponent(path))).arrayBuffer());
  let digests = "";
  for (const c of cases) digests += await digest(c, await answer(c, new Instance(module), read));
  return digests;
};
