import { compile, compileSync, type Source } from "./compile-browser.js";
import { Stormlint } from "./stormlint.js";
import { platform } from "./platform-browser.js";

export { StormlintError, type Code, type Place } from "./failure.js";
export type { Source } from "./compile-browser.js";
export type { Input } from "./input.js";
export type { LintRequest, Stormlint } from "./stormlint.js";
export type { Analyzer, Part } from "./analyzer.js";
export type { Analysis, FilePath, NamedInput, Progress, RunOptions } from "./pool.js";
export type { AnalyzeOptions, JudgeOptions, PageRequest } from "./options.js";
export type * from "./herd.js";
export type * from "./report.js";

/** Loads the module, compiling while it arrives. */
export async function load(source: Source = new URL("./stormlint.wasm", import.meta.url)): Promise<Stormlint> {
  return new Stormlint(await compile(source), platform);
}

/** Loads the module from bytes at hand, without waiting. Browsers refuse large modules on the main thread: use a worker. */
export function loadSync(source: Uint8Array | ArrayBuffer | WebAssembly.Module): Stormlint {
  return new Stormlint(compileSync(source), platform);
}
