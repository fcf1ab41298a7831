import { loadSync } from "../src/node.js";
import { isVerdict, Verdict, type LintResult } from "../testkit/verdict.js";

/** What a matcher takes: a SPEC, delays as a run for each client in ms, or the awaited verdict of a kit. */
export type Received = string | readonly (readonly number[])[] | Verdict;

/** The world a schedule is judged for, and what is accepted in it. */
export interface StormSafeOptions {
  /** How many clients fall together; with `capacity`. */
  readonly clients?: number;
  /** Handshakes a second that the server can do. */
  readonly capacity?: number;
  /** Rules that may fire, each with the reason why it is accepted here. */
  readonly allow?: Readonly<Record<string, string>>;
  /** The mildest severity that fails. @default "high" */
  readonly failOn?: "info" | "low" | "medium" | "high" | "critical";
}

// Loaded with the subpath, so that the matchers themselves need not wait.
const stormlint = loadSync();
const decoder = new TextDecoder();

/** Turns what a test received into a verdict, or says what was expected. */
export function verdictOf(received: unknown, world: { clients?: number | undefined; capacity?: number | undefined } = {}): Verdict {
  if (isVerdict(received)) {
    if (world.clients === undefined && world.capacity === undefined) return received;
    if (received.observations.length === 0) throw new TypeError("stormlint: clients and capacity of a verdict are given where it is made: { fleet: { clients, capacity } }");
    return new Verdict(ask({ runs: received.observations, ...world }), received.reproduce, received.observations);
  }
  if (typeof (received as Promise<unknown> | null)?.then === "function") throw new TypeError("stormlint: received a promise, expected its result: await the kit first");
  if (typeof received === "string") return new Verdict(ask({ policy: received, ...world }));
  if (Array.isArray(received)) return new Verdict(ask({ runs: received, ...world }));
  throw new TypeError(`stormlint: received ${received === null ? "null" : typeof received}, expected a SPEC, an array of runs in ms, or an awaited verdict`);
}

function ask(request: object): LintResult {
  return JSON.parse(decoder.decode(stormlint.call("lint", request))) as LintResult;
}
