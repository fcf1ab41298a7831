import type { Clock } from "./clock.js";
import { KitError } from "./errors.js";
import type { Source } from "./random.js";
import { real } from "./turn.js";

/**
 * The stage is what a client finds when it does not take its clock, dice and WebSocket as arguments: the globals. While
 * a run is on, they are replaced by stand-ins that never change, so that a module which kept `setTimeout` or `WebSocket`
 * when it was first imported still meets the clock of the run that is on now; with no run on, a stand-in is the real one.
 */
interface Run {
  readonly clock: Clock;
  readonly source: Source;
  readonly WebSocket: unknown;
}

let on: Run | undefined;

type Any = (...args: any[]) => any;

/** A stand-in for a global function. */
function either(realOne: Any | undefined, ofRun: (run: Run) => Any): Any {
  return (...args) => (on ? ofRun(on) : (realOne ?? missing))(...args);
}

function missing(): never {
  throw new KitError("unsupported", "this function does not exist outside a run of the kit");
}

const g = globalThis as Record<string, any>;
const realDate = real.Date;
const realSocket = g.WebSocket as (new (...args: any[]) => object) | undefined;
const performanceNow = globalThis.performance.now.bind(globalThis.performance);

/** The WebSocket that modules may keep: constructs the double of the run that is on. */
export const StageSocket: unknown = new Proxy(class WebSocket {}, {
  construct: (_, args) => Reflect.construct((on?.WebSocket ?? realSocket ?? missing) as new () => object, args),
  get: (target, key) => Reflect.get((on?.WebSocket ?? realSocket ?? target) as object, key),
  has: (target, key) => Reflect.has((on?.WebSocket ?? realSocket ?? target) as object, key),
});

const StageDate = new Proxy(realDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length || !on ? args : [on.clock.Date.now()], newTarget),
  apply: (target) => (on ? new target(on.clock.Date.now()) : new target()).toString(),
  get: (target, key) => (key === "now" && on ? on.clock.Date.now : Reflect.get(target, key)),
});

/** [object, key, stand-in] of every global that is replaced. */
function standIns(): [object, string, unknown][] {
  const list: [object, string, unknown][] = [
    [g, "Date", StageDate],
    [g, "WebSocket", StageSocket],
    [Math, "random", either(real.random, (run) => run.source.random)],
    [globalThis.performance, "now", either(performanceNow, (run) => run.clock.performance.now)],
  ];
  for (const key of ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"] as const)
    if (g[key]) list.push([g, key, either(g[key], (run) => run.clock[key])]);
  const { crypto } = globalThis;
  if (crypto) {
    list.push([crypto, "getRandomValues", either(crypto.getRandomValues.bind(crypto), (run) => run.source.getRandomValues)]);
    list.push([crypto, "randomUUID", either(crypto.randomUUID?.bind(crypto), (run) => run.source.randomUUID)]);
  }
  return list;
}

let made: [object, string, unknown][] | undefined;

/** Puts the stand-ins in place for one run; the function it returns restores every global exactly. */
export function enter(clock: Clock, source: Source, WebSocket: unknown): () => void {
  if (on) throw new KitError("bad-usage", "two runs that replace globals overlap");
  refuseMockTimers();
  made ??= standIns();
  const undo: [object, string, PropertyDescriptor | undefined][] = [];
  for (const [target, key, value] of made) {
    const old = Object.getOwnPropertyDescriptor(target, key);
    undo.push([target, key, old]);
    Object.defineProperty(target, key, { value, configurable: true, writable: true, enumerable: old?.enumerable ?? true });
  }
  on = { clock, source, WebSocket };
  return () => {
    on = undefined;
    for (const [target, key, old] of undo.reverse()) {
      if (old) Object.defineProperty(target, key, old);
      else delete (target as Record<string, unknown>)[key];
    }
  };
}

/** Refuses mock timers that are already installed: two fake clocks cannot both tell the time. */
export function refuseMockTimers(): void {
  const now = globalThis.setTimeout as { clock?: unknown; _isMockFunction?: boolean };
  if (now.clock !== undefined || now._isMockFunction === true || globalThis.Date !== realDate)
    throw new KitError(
      "bad-usage",
      "fake timers are active (vi.useFakeTimers, jest.useFakeTimers or another): call useRealTimers() first, this kit brings a clock of its own",
    );
}

let queue: Promise<unknown> = Promise.resolve();

/** Runs one after another: two runs on one stage must not overlap. */
export function serialised<T>(run: () => Promise<T>): Promise<T> {
  const result = queue.then(run, run);
  queue = result.catch(() => undefined);
  return result;
}
