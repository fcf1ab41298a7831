import { fileURLToPath } from "node:url";

import { compile, compileSync, type Source } from "./compile-node.js";
import { Stormlint } from "./stormlint.js";
import { platform } from "./platform-node.js";

export { StormlintError, type Code, type Place } from "./failure.js";
export type { Source } from "./compile-node.js";
export type { Input } from "./input.js";
export type { LintRequest, Stormlint } from "./stormlint.js";
export type { Analyzer, Part } from "./analyzer.js";
export type { Analysis, FilePath, NamedInput, Progress, RunOptions } from "./pool.js";
export type { AnalyzeOptions, JudgeOptions, PageRequest } from "./options.js";
export type * from "./herd.js";
export type * from "./report.js";

/** Loads the module. */
export async function load(source: Source = own()): Promise<Stormlint> {
  return new Stormlint(await compile(source), platform);
}

/** Loads the module without waiting: some 50 ms, best done once. */
export function loadSync(source: Source = own()): Stormlint {
  return new Stormlint(compileSync(source), platform);
}

function own(): string {
  return fileURLToPath(new URL("./stormlint.wasm", import.meta.url));
}
