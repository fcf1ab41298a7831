import type { Fate } from "./fate.js";

/** One way in which connections fail: what each connection of a client meets, counted from 0. */
export interface Scenario {
  readonly name: string;
  /** How many waits to watch; the run ends when they have been seen. */
  readonly waits: number;
  readonly fate: (index: number) => Fate;
  /** The most clients that are watched: a question of yes or no needs few. */
  readonly clients: number;
  /** The wait in ms that the server names, where it names one. */
  readonly hint?: number;
  /** Wakes network and tab so many ms after this connection failed. */
  readonly wakeAfter?: { readonly connection: number; readonly ms: number };
}

/** A session that counts as long, in ms: ten minutes, more than any stable time that clients ask for. */
export const longLife = 600_000;

const refused: Fate = { kind: "refused", after: 20, status: 503 };
const all = Infinity;

/** A long session that ends with a code, and a server that refuses from then on: the deploy as a client sees it. */
function dropped(name: string, waits: number, clients: number, code: number, reason = ""): Scenario {
  const session: Fate = { kind: "session", after: 20, life: longLife, code, reason, acknowledged: true };
  return { name, waits, clients, fate: (index) => (index === 0 ? session : refused) };
}

/** Sessions that all end after a while; whether they had time to be acknowledged differs. */
function sessions(name: string, waits: number, clients: number, life: number, acknowledged: boolean): Scenario {
  return { name, waits, clients, fate: () => ({ kind: "session", after: 20, life, code: 1006, acknowledged }) };
}

/** The wait that the hint scenario's server names, in ms; its close says it as `retry-after=30`. */
export const hinted = 30_000;

/** The close codes that a client meets in the wild, each after a long session. */
export const closeCodes = [1001, 1005, 1008, 1012, 1013, 4000, 4200] as const;

/** Every scenario, in the order in which they run; the names are the linter's. */
export function scenarios(waits: number, failures: number, page: boolean): Scenario[] {
  const few = Math.min(waits, 5);
  return [
    { name: "refused", waits, clients: all, fate: () => refused },
    dropped("dropped", waits, all, 1006),
    sessions("open-then-dropped", waits, all, 0, false),
    sessions("acknowledged-then-dropped", waits, all, 50, true),
    sessions("sessions", few, 10, longLife, true),
    { name: "hang", waits: few, clients: 3, fate: () => ({ kind: "hang" }) },
    ...(failures > 0 ? [{ name: "failures", waits: failures, clients: 2, fate: () => refused }] : []),
    ...closeCodes.map((code) => dropped(`close-${code}`, few, 3, code)),
    { ...dropped("hint", few, 20, 1013, "retry-after=30"), hint: hinted },
    // Woken while the sixth wait has just begun: whoever obeys the event connects at once.
    ...(page ? [{ name: "wake", waits: 6, clients: 10, fate: () => refused, wakeAfter: { connection: 5, ms: 5 } }] : []),
  ];
}
