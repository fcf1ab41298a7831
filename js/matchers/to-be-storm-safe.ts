import { explain } from "../testkit/message.js";
import { verdictOf, type StormSafeOptions } from "./received.js";

/** A matcher's answer, as vitest and jest take it. */
export interface Answer {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Passes when no finding is at or above `failOn` (high), those in `allow` excepted. */
export function toBeStormSafe(received: unknown, options: StormSafeOptions = {}): Answer {
  const { clients, capacity, ...strict } = options;
  const verdict = verdictOf(received, { clients, capacity });
  const failing = verdict.failing(strict);
  return {
    pass: failing.length === 0,
    message: () =>
      failing.length === 0
        ? "expected the schedule to be unsafe in a storm, and nothing was found\n"
        : `expected the schedule to be safe in a storm\n\n${explain(verdict, failing)}\n`,
  };
}
