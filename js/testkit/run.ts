import { Clock, type Runtime } from "./clock.js";
import { browserDouble, type DoubleConstructor } from "./double.js";
import type { Connection, Handshake } from "./fate.js";
import { KitError } from "./errors.js";
import { Source } from "./random.js";
import type { Scenario } from "./scenario.js";
import { wake } from "./page.js";
import { real, turn } from "./turn.js";
import { Server } from "./wire.js";

/** What a factory gets to build one client from. */
export interface Bench {
  /** The scripted WebSocket, in the flavour asked for. */
  readonly WebSocket: DoubleConstructor;
  /** The clock of this client alone: setTimeout, setInterval, Date, performance, now. */
  readonly clock: Clock;
  /** Uniform in [0, 1), from the seed. */
  readonly random: () => number;
  /** Which of the independent clients this is, from 0. */
  readonly i: number;
  /** The scenario's name. */
  readonly scenario: string;
  /** The module named by `fresh`, imported for this client alone. */
  readonly module?: any;
}

/** Builds one client that connects and keeps itself connected; what it returns is only held until the run ends. */
export type Factory = (bench: Bench) => unknown;

/** How a run ended. */
export type Ending =
  /** As many waits as the scenario wanted. */
  | "observed"
  /** The client made at least one attempt, has no timer left, and waits for nothing: it has given up. */
  | "gave-up"
  /** The client never came back, or waits for something real that the kit does not drive. */
  | "not-observed";

/** What one client did in one scenario. */
export interface Trace {
  readonly connections: readonly Connection[];
  /** The wait in ms before each attempt but the first: from the end of the connection before it. */
  readonly waits: readonly number[];
  readonly ending: Ending;
  /** How long in ms each handshake was given before the client ended it; only those that it did end. */
  readonly held: readonly number[];
  /** The most connections that lived at once. */
  readonly parallel: number;
  /** What was real and pending when the run came to rest, for the message of `not-observed`. */
  readonly awaits: readonly string[];
}

/** How long clients are waited for, in real ms, when there is nothing else to do. Those that let it pass in vain use it up. */
export interface Patience {
  load: number;
}

/** How one run is set up. */
export interface RunOptions {
  readonly seed: number;
  readonly runtime: Runtime;
  readonly handshake: Handshake;
  /** Shared by the runs of one observation; without it each run has its own. */
  readonly patience?: Patience;
  /** Makes the constructor from the server: the browser's flavour, or that of ws. */
  readonly flavour?: (server: Server) => unknown;
  /** Puts clock, dice and constructor where the client finds them; returns what undoes it. */
  readonly install?: (clock: Clock, source: Source, WebSocket: unknown) => () => void;
}

/** Timer steps without a new connection after which a client counts as resting, and the virtual time, in ms. */
const idleSteps = 5_000;
const idleTime = 60 * 86_400_000;
/**
 * Turns that a client gets to finish what it does outside timers; then the real ms that a factory gets to load modules,
 * and the fewer that it gets when it has set a timer, which may be what it waits for. Modules are loaded once: a client
 * that had all this time and came to nothing leaves a tenth of it to the next.
 */
const restTurns = 20;
const loadTime = 5_000;
const guessTime = 100;
const leastTime = 5;

/** The patience of an observation that begins. */
export function patience(): Patience {
  return { load: loadTime };
}

/** Runs one client through one scenario on a clock of its own. */
export async function run(factory: Factory, scenario: Scenario, i: number, o: RunOptions): Promise<Trace> {
  const clock = new Clock(o.runtime);
  const source = new Source(o.seed, i);
  const server = new Server(clock, scenario.fate, o.handshake);
  const WebSocket = (o.flavour ?? browserDouble)(server);
  const uninstall = o.install?.(clock, source, WebSocket);
  const work = realWork();
  const start = { settled: false, failed: false, cause: undefined as unknown };
  const bench: Bench = { WebSocket: WebSocket as DoubleConstructor, clock, random: source.random, i, scenario: scenario.name };
  try {
    // Not awaited: a factory may itself wait for the clock, or for ever.
    void (async () => factory(bench))().then(
      () => void (start.settled = true),
      (cause: unknown) => {
        start.settled = true;
        // A promise that a retry wrapper rejects in the end is an outcome; one that fails before connecting is an error.
        if (server.connections.length === 0) Object.assign(start, { failed: true, cause });
      },
    );
    await drive(clock, server, scenario, start, work, o.patience ?? patience());
  } catch (cause) {
    Object.assign(start, { failed: true, cause });
  } finally {
    uninstall?.();
    clock.stop();
  }
  if (start.failed)
    throw new KitError("crashed", `client ${i} threw in scenario ${scenario.name}: ${String(start.cause)}`, {
      cause: start.cause,
    });
  return traced(server.connections, scenario, clock.pending, work());
}

async function drive(
  clock: Clock,
  server: Server,
  scenario: Scenario,
  start: { settled: boolean; failed: boolean },
  work: () => string[],
  patience: Patience,
): Promise<void> {
  let seen = 0;
  let since = 0;
  let steps = 0;
  for (;;) {
    await turn();
    if (start.failed || server.connections.length > scenario.waits) return;
    if (server.connections.length > seen) {
      seen = server.connections.length;
      since = clock.now;
      steps = 0;
      if (scenario.wakeAfter && seen === scenario.wakeAfter.connection + 1) clock.at(clock.now + 20 + scenario.wakeAfter.ms, wake);
    }
    // Before the first connection a module may still be loading, and when no timer is left one may be loading lazily.
    const quiet = (): boolean => server.connections.length === seen && !start.failed;
    if (seen === 0 && !start.settled)
      await rest(() => quiet() && !start.settled, patience, clock.upcoming === undefined ? patience.load : steps === 0 ? Math.min(guessTime, patience.load) : 0);
    if (clock.upcoming === undefined && quiet())
      await rest(() => quiet() && clock.upcoming === undefined, patience, work().length ? patience.load : 0);
    if (server.connections.length > seen) continue;
    if (clock.upcoming === undefined) return;
    if (++steps > idleSteps || clock.upcoming - since > idleTime) return;
    clock.next();
  }
}

/** Waits while it is needed, for what is real, such as an import: some turns, then so many ms of real time at most. */
async function rest(needed: () => boolean, patience: Patience, time: number): Promise<void> {
  for (let i = 0; i < restTurns && needed(); i++) await turn();
  let ms = 0;
  while (ms < time && needed()) {
    await new Promise<void>((done) => void real.setTimeout(done, 1));
    ms++;
  }
  if (ms > 0 && ms === patience.load) patience.load = Math.max(leastTime, Math.floor(patience.load / 10));
}

function traced(connections: readonly Connection[], scenario: Scenario, pending: number, awaits: string[]): Trace {
  const waits: number[] = [];
  let parallel = connections.length ? 1 : 0;
  for (let n = 1; n < connections.length; n++) {
    const made = connections[n]!.made;
    waits.push(Math.max(0, made - (connections[n - 1]!.ended ?? made)));
    let live = 1;
    for (let k = 0; k < n; k++) {
      const other = connections[k]!;
      if (!other.byClient && (other.ended === undefined || other.ended > made)) live++;
    }
    parallel = Math.max(parallel, live);
  }
  const enough = waits.length >= scenario.waits;
  const gaveUp = connections.length > 0 && pending === 0 && awaits.length === 0;
  const held = connections.filter((c) => c.opened === undefined && c.byClient && c.ended !== undefined).map((c) => c.ended! - c.made);
  return { connections, waits, held, ending: enough ? "observed" : gaveUp ? "gave-up" : "not-observed", parallel, awaits };
}

/** Tells, whenever called, what Node waits for beyond what it waited for before; nothing where the runtime does not say. */
function realWork(): () => string[] {
  const { process } = globalThis as { process?: { getActiveResourcesInfo?: () => string[] } };
  const now = (): string[] =>
    (process?.getActiveResourcesInfo?.() ?? []).filter((kind) => /TCP|UDP|TLS|GetAddrInfo|FSReq|Pipe|Process|Worker/.test(kind));
  const before = now();
  return () => {
    const rest = [...before];
    return now().filter((kind) => {
      const at = rest.indexOf(kind);
      if (at >= 0) rest.splice(at, 1);
      return at < 0;
    });
  };
}
