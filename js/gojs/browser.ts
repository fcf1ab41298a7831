import { compile, type Source } from "../src/compile-browser.js";
import { platform } from "../src/platform-browser.js";
import { knowGo } from "./start.js";
import { Stormlint } from "../src/stormlint.js";

export { StormlintError } from "../src/failure.js";
export type { Source, Stormlint };

/** Loads the build for Go's own loader, for browsers. It answers as the other does; it works in the calling thread alone. */
export async function load(source: Source = new URL("./gojs/stormlint-gojs.wasm", import.meta.url)): Promise<Stormlint> {
  knowGo();
  return new Stormlint(await compile(source), { ...platform, cores: () => 0 });
}
