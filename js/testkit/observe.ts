import type { Runtime } from "./clock.js";
import { browserDouble } from "./double.js";
import { KitError, refuseUnknown } from "./errors.js";
import type { Handshake } from "./fate.js";
import { patience, run, type Factory, type RunOptions, type Trace } from "./run.js";
import { scenarios, type Scenario } from "./scenario.js";
import { enter, serialised } from "./stage.js";
import { page } from "./page.js";

/** How a client is watched. */
export interface ClientOptions {
  /** Independent clients in each scenario where it matters, 2 to 1000. @default 50 */
  readonly clients?: number;
  /** Attempts to watch, 5 to 1000. @default 12 */
  readonly attempts?: number;
  /** Failures in the long scenario that looks for overflows, 0 (leave it out) to 100,000. @default 2000 */
  readonly failures?: number;
  /** Of every draw; print it to repeat a run. @default 1 */
  readonly seed?: number;
  /** Whose timer rules hold. @default "node", and "browser" with `page` */
  readonly runtime?: Runtime;
  /** Replace the globals (timers, Date, Math.random, crypto, WebSocket) while a client runs, for code that takes nothing as an argument. @default false */
  readonly global?: boolean;
  /** Give globals a page too: window, document, navigator.onLine; adds the scenario in which network and tab wake up. @default false */
  readonly page?: boolean;
  /** Answer `import "ws"` and `require("ws")` with the double, in the flavour of ws; implies `global`. Node only. */
  readonly module?: "ws";
  /** Import this module anew for every client and hand it to the factory as `module`: finds draws made once per module. A URL or an absolute path. */
  readonly fresh?: string | URL;
  /** What the double sends so that a protocol's client counts as connected. */
  readonly handshake?: Handshake;
  /** Only these scenarios, by name. @default all */
  readonly scenarios?: readonly string[];
}

/** What was seen of all clients in one scenario, in the form that stormlint's linter reads. */
export interface Observation {
  readonly scenario: string;
  readonly runs: readonly (readonly number[])[];
  readonly endings: readonly string[];
  readonly parallel: number;
  readonly held_ms?: readonly (readonly number[])[];
  readonly hint_ms?: number;
  readonly clients: number;
  readonly seed: number;
}

/** Watches a client in every scenario. The result is the same at every repetition. */
export async function observe(factory: Factory, options: ClientOptions = {}): Promise<Observation[]> {
  const o = await settle(factory, options);
  const chosen = scenarios(o.attempts, o.failures, o.page).filter((s) => !options.scenarios || options.scenarios.includes(s.name));
  const list: Observation[] = [];
  const shared = patience();
  for (const scenario of chosen) {
    const traces: Trace[] = [];
    for (let i = 0; i < Math.min(scenario.clients, o.clients); i++)
      traces.push(await serialised(() => run(o.factory, scenario, i, { ...o, patience: shared })));
    list.push(collect(scenario, traces, o.seed));
  }
  // A client that came back in no scenario at all has not given up: there is nothing to judge, and that is no pass.
  if (list.every((o) => o.runs.every((run) => run.length === 0)))
    return list.map((o) => ({ ...o, endings: o.endings.map(() => "not-observed") }));
  return list;
}

function collect(scenario: Scenario, traces: readonly Trace[], seed: number): Observation {
  return {
    scenario: scenario.name,
    runs: traces.map((t) => t.waits.slice(scenario.wakeAfter?.connection ?? 0)),
    endings: traces.map((t) => t.ending),
    parallel: Math.max(...traces.map((t) => t.parallel)),
    ...(scenario.name === "hang" && { held_ms: traces.map((t) => t.held) }),
    ...(scenario.hint !== undefined && { hint_ms: scenario.hint }),
    clients: traces.length,
    seed,
  };
}

interface Setup extends RunOptions {
  readonly factory: Factory;
  readonly clients: number;
  readonly attempts: number;
  readonly failures: number;
  readonly page: boolean;
}

const names = ["clients", "attempts", "failures", "seed", "runtime", "global", "page", "module", "fresh", "handshake", "scenarios", "fleet"];

/** Fills in the defaults and refuses what lies outside its range: the one place that does either. */
async function settle(factory: Factory, o: ClientOptions): Promise<Setup> {
  if (typeof factory !== "function") throw new KitError("bad-value", `the client is ${typeof factory}, expected a function that builds one`);
  refuseUnknown(o, names);
  const whole = (field: keyof ClientOptions, fallback: number, low: number, high: number): number => {
    const value = o[field] ?? fallback;
    if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high)
      throw new KitError("bad-value", `${field} is ${String(value)}, expected a whole number from ${low} to ${high}`);
    return value;
  };
  const word = <T>(field: keyof ClientOptions, allowed: readonly T[]): void => {
    if (o[field] !== undefined && !allowed.includes(o[field] as T))
      throw new KitError("bad-value", `${field} is ${String(o[field])}, expected ${allowed.join(" or ")}`);
  };
  word("runtime", ["node", "browser"]);
  word("module", ["ws"]);
  const attempts = whole("attempts", 12, 5, 1000);
  const setup = {
    clients: whole("clients", 50, 2, 1000),
    attempts,
    failures: whole("failures", 2000, 0, 100_000),
    seed: whole("seed", 1, 0, Number.MAX_SAFE_INTEGER),
    page: o.page ?? false,
  };
  const known = scenarios(attempts, setup.failures, setup.page).map((s) => s.name);
  for (const name of o.scenarios ?? [])
    if (!known.includes(name)) throw new KitError("bad-value", `scenarios has ${JSON.stringify(name)}, expected some of ${known.join(", ")}`);
  let flavour: RunOptions["flavour"] = browserDouble;
  if (o.module === "ws") {
    const { replaceWs } = await import("./ws-module.js");
    replaceWs();
    flavour = (await import("./ws-double.js")).wsDouble;
  }
  const replaces = o.global || o.page || o.module !== undefined;
  return {
    ...setup,
    factory: o.fresh === undefined ? factory : freshly(factory, o.fresh),
    runtime: o.runtime ?? (o.page ? "browser" : "node"),
    handshake: o.handshake ?? {},
    flavour,
    ...(replaces && { install: o.page ? (c, s, w) => page(enter, c, s, w) : enter }),
  };
}

let copies = 0;

/**
 * Imports a module again under another query, so that what it drew when it was loaded is drawn again. A CommonJS module
 * is kept by its file's name, whatever the query: it is forgotten first.
 */
function freshly(factory: Factory, module: string | URL): Factory {
  return async (bench) => {
    const url = new URL(String(module), "file:///");
    if (url.protocol === "file:") {
      const [{ createRequire }, { fileURLToPath }] = await Promise.all([import("node:module"), import("node:url")]);
      delete createRequire(url).cache[fileURLToPath(url)];
    }
    url.searchParams.set("stormlint", String(++copies));
    return factory({ ...bench, module: await import(url.href) });
  };
}
