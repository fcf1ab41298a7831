// How the first lines of a log are read: what `stormlint formats explain` says.
import { ask } from "../catalogue.js";
import type { Clerk } from "../worker/clerk.js";
import { readingOptions, type Settings } from "./settings.js";

/** The reading of a few records. */
export interface Look {
  wrappers: string[];
  formats: { name: string; title: string; layout: string; why: string; blind_spots: string[] }[];
  learned_paths: string[];
  records: { record: number; sample: string; reason: string; events: Record<string, string>[] }[];
}

/** Looks at the head of a log. */
export function lookAt(desk: Clerk, head: Uint8Array, settings: Settings, n = 6): Promise<Look> {
  return ask<Look>(desk, "readings", { options: readingOptions(settings), n }, head.slice(0, 1 << 20));
}
