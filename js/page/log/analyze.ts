// The reading of a log on all cores: the package's pool, with the page's own worker.
import { platform } from "../../src/platform-browser.js";
import { analyzeAll, type Analysis, type Progress } from "../../src/pool.js";
import type { Kept } from "../kept.js";
import type { Office } from "../worker/office.js";

export type { Analysis, Progress };

/** Reads the files as one log. */
export async function analyze(office: Kept<Office>, files: File[], options: Record<string, unknown>, how: { signal?: AbortSignal; progress?: (p: Progress) => void } = {}): Promise<Analysis> {
  const { script, module } = await office.get();
  return analyzeAll(platform, module, files, options, { ...how, spawn: () => new Worker(script) }) as Promise<Analysis>; // no option asks for compat
}
