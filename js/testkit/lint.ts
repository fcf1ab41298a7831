import { load } from "../src/node.js";
import { Clock } from "./clock.js";
import { KitError, refuseUnknown } from "./errors.js";
import { observe, type ClientOptions, type Observation } from "./observe.js";
import { Source } from "./random.js";
import type { Factory } from "./run.js";
import { enter, serialised } from "./stage.js";
import { turn } from "./turn.js";
import { Verdict, type LintResult } from "./verdict.js";

/** What the linter may know of the world; all optional. */
export interface WorldOptions {
  /** How many clients fall together; with `capacity`, thresholds come from their ratio. */
  readonly clients?: number;
  /** Handshakes a second that the server can do. */
  readonly capacity?: number;
  /** Attempts that one client may make a day. */
  readonly budget?: number;
  /** Whose timers wait. @default "js" */
  readonly runtime?: "js" | "go" | "java" | "python" | "rust";
}

/** The options of lintClient: how it is watched, and in `fleet` the world it is judged for. */
export interface LintClientOptions extends ClientOptions {
  readonly fleet?: WorldOptions;
}

/**
 * Watches clients of one kind on a fake clock in every scenario and lints what they did.
 *
 *     const verdict = await lintClient(({ WebSocket }) => new Client("ws://example.test", { WebSocket }));
 *     assertStormSafe(verdict);
 */
export async function lintClient(client: Factory, options: LintClientOptions = {}): Promise<Verdict> {
  const observations = await observe(client, options);
  return judge(observations, options.fleet, `lintClient(client, ${JSON.stringify({ ...plain(options), seed: options.seed ?? 1 })})`);
}

/** The options of lintSchedule and lintTask. */
export interface ScheduleOptions {
  /** Independent clients. @default 50 */
  readonly clients?: number;
  /** Waits of each. @default 12 */
  readonly attempts?: number;
  /** @default 1 */
  readonly seed?: number;
  readonly fleet?: WorldOptions;
}

/** A pure rule: the attempt to come, counted from 1, and the wait before the attempt before, give the wait in ms. */
export type Schedule = (attempt: number, previous: number) => number | false | null | undefined;

/**
 * Lints a policy by its SPEC (exactly, by its distribution), or a function that computes waits (by 50 runs of 12; and
 * at attempts far out, for overflows). A function that returns false, null or undefined gives up. Math.random is seeded
 * meanwhile.
 */
export async function lintSchedule(schedule: Schedule | string, options: ScheduleOptions = {}): Promise<Verdict> {
  refuseUnknown(options, names);
  if (typeof schedule === "string") return new Verdict(await ask({ policy: schedule, ...options.fleet }));
  if (typeof schedule !== "function") throw new KitError("bad-value", `the schedule is ${typeof schedule}, expected a function or a SPEC`);
  const { clients, attempts, seed } = counts(options);
  const observation = await serialised(async () => {
    const runs: number[][] = [];
    const endings: string[] = [];
    for (let i = 0; i < clients; i++) {
      const run = seeded(seed, i, () => draw(schedule, attempts));
      runs.push(run);
      endings.push(run.length === attempts ? "observed" : "gave-up");
    }
    return { scenario: "refused", runs, endings, parallel: 1, clients, seed, far: seeded(seed, 0, () => far(schedule)) };
  });
  return judge([observation], options.fleet, `lintSchedule(schedule, ${JSON.stringify({ clients, attempts, seed })})`);
}

/** Starts something that is tried again until it works; `attempt` is what always fails. Returns when it gives up, or never. */
export type Task = (attempt: () => Promise<never>, i: number) => unknown;

/** Lints a retry wrapper, such as p-retry, by what it does with a task that always fails. */
export async function lintTask(task: Task, options: ScheduleOptions = {}): Promise<Verdict> {
  const { clients, attempts, seed } = counts(options);
  const runs: number[][] = [];
  const endings: string[] = [];
  for (let i = 0; i < clients; i++) {
    const { waits, gaveUp } = await serialised(() => watchTask(task, attempts, seed, i));
    runs.push(waits);
    endings.push(waits.length >= attempts ? "observed" : gaveUp ? "gave-up" : "not-observed");
  }
  return judge([{ scenario: "refused", runs, endings, parallel: 1, clients, seed }], options.fleet, `lintTask(task, ${JSON.stringify({ clients, attempts, seed })})`);
}

async function watchTask(task: Task, attempts: number, seed: number, i: number): Promise<{ waits: number[]; gaveUp: boolean }> {
  const clock = new Clock("node");
  const source = new Source(seed, i);
  const leave = enter(clock, source, undefined);
  const tries: number[] = [];
  let settled = false;
  try {
    const attempt = async (): Promise<never> => {
      tries.push(clock.now);
      throw new Error("the attempt fails, as the kit makes it");
    };
    void (async () => task(attempt, i))().then(
      () => (settled = true),
      () => (settled = true),
    );
    for (let steps = 0; tries.length <= attempts && !settled && steps < 100_000; steps++) {
      await turn();
      if (tries.length > attempts || settled) break;
      if (!clock.next()) {
        for (let k = 0; k < 20 && clock.upcoming === undefined && !settled; k++) await turn();
        if (clock.upcoming === undefined) break;
      }
    }
  } finally {
    leave();
    clock.stop();
  }
  return { waits: tries.slice(1).map((at, k) => at - tries[k]!), gaveUp: settled && tries.length > 0 };
}

/** Lints delays that were measured: a run for each client, in ms. */
export async function lintRuns(runs: readonly (readonly number[])[] | readonly Observation[], options: WorldOptions = {}): Promise<Verdict> {
  return new Verdict(await ask({ runs, ...options }));
}

const names = ["clients", "attempts", "seed", "fleet"];

function counts(o: ScheduleOptions): { clients: number; attempts: number; seed: number } {
  refuseUnknown(o, names);
  const whole = (field: "clients" | "attempts" | "seed", fallback: number, low: number, high: number): number => {
    const value = o[field] ?? fallback;
    if (!Number.isInteger(value) || value < low || value > high)
      throw new KitError("bad-value", `${field} is ${String(value)}, expected a whole number from ${low} to ${high}`);
    return value;
  };
  return { clients: whole("clients", 50, 2, 1000), attempts: whole("attempts", 12, 5, 1000), seed: whole("seed", 1, 0, Number.MAX_SAFE_INTEGER) };
}

function seeded<T>(seed: number, i: number, run: () => T): T {
  const leave = enter(new Clock("node"), new Source(seed, i), undefined);
  try {
    return run();
  } finally {
    leave();
  }
}

function draw(schedule: Schedule, attempts: number): number[] {
  const run: number[] = [];
  for (let k = 1, previous = 0; k <= attempts; k++) {
    const wait = schedule(k, previous);
    if (wait === false || wait === null || wait === undefined) break;
    if (typeof wait !== "number" || Number.isNaN(wait)) throw new KitError("bad-value", `the schedule gave ${typeof wait === "string" ? JSON.stringify(wait) : String(wait)} for attempt ${k}, expected a wait in ms, or false to give up`);
    run.push((previous = wait));
  }
  return run;
}

/** The attempts at which arithmetic breaks: all to 1,100, where 2^attempt leaves the numbers, and three far ones. */
const farAttempts = [...Array.from({ length: 1100 }, (_, k) => k + 1), 10_000, 100_000, 2 ** 31 - 1];

interface Far {
  readonly attempt: number;
  readonly delay_ms?: number;
  readonly fault?: string;
}

function far(schedule: Schedule): Far[] {
  const list: Far[] = [];
  for (let attempt of farAttempts) {
    try {
      const wait = schedule(attempt, list.at(-1)?.delay_ms ?? 0);
      if (wait === false || wait === null || wait === undefined) break;
      const ms = Number(wait);
      list.push(Number.isFinite(ms) ? { attempt, delay_ms: Math.min(ms, 9e12) } : { attempt, fault: Number.isNaN(ms) ? "not a number" : "infinite" });
    } catch (error) {
      list.push({ attempt, fault: `an exception: ${String(error)}` });
    }
    if (list.at(-1)!.fault) break;
  }
  return list;
}

async function judge(observations: readonly Observation[], fleet: WorldOptions | undefined, reproduce: string): Promise<Verdict> {
  return new Verdict(await ask({ runs: observations, ...fleet }), reproduce, observations);
}

const decoder = new TextDecoder();

async function ask(request: object): Promise<LintResult> {
  const s = await load();
  return JSON.parse(decoder.decode(s.call("lint", request))) as LintResult;
}

/** The options that say how it was watched, without functions. */
function plain(o: LintClientOptions): object {
  const { handshake, fresh, fleet, ...rest } = o;
  return rest;
}
