import { fileURLToPath } from "node:url";

import { compile, type Source } from "../src/compile-node.js";
import { platform } from "../src/platform-node.js";
import { knowGo } from "./start.js";
import { Stormlint } from "../src/stormlint.js";

export { StormlintError } from "../src/failure.js";
export type { Source, Stormlint };

/** Loads the build for Go's own loader, for Node. It answers as the other does; it works in the calling thread alone. */
export async function load(source: Source = fileURLToPath(new URL("./gojs/stormlint-gojs.wasm", import.meta.url))): Promise<Stormlint> {
  knowGo();
  return new Stormlint(await compile(source), { ...platform, cores: () => 0 });
}
