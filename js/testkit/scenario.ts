import type { Fate } from "./fate.js";

/** One way in which connections fail: what each connection of a client meets, counted from 0. */
export interface Scenario {
  readonly name: string;
  /** How many waits to watch; the run ends when they have been seen. */
  readonly waits: number;
  readonly fate: (index: number) => Fate;
  /** Which close ends the session that opens the scenario, where there is one. */
  readonly code?: number;
}

/** A session that counts as long: ten minutes, more than any stable time that clients ask for. */
export const longLife = 600_000;

const refused: Fate = { kind: "refused", after: 20, status: 503 };

/** A long session that ends with a code, and a server that refuses from then on: the deploy as a client sees it. */
function dropped(name: string, waits: number, code: number, reason = ""): Scenario {
  return {
    name,
    waits,
    code,
    fate: (index) => (index === 0 ? { kind: "session", after: 20, life: longLife, code, reason, acknowledged: true } : refused),
  };
}

/** The reason that the hint scenario's close carries: wait thirty seconds. */
export const hintReason = "retry-after=30";

/** The close codes that a client meets in the wild, each after a long session. */
export const closeCodes = [1001, 1005, 1006, 1008, 1012, 1013, 4000, 4200] as const;

/** Every scenario, in the order in which they run. */
export function scenarios(waits: number, failures: number): Scenario[] {
  return [
    { name: "refused", waits, fate: () => refused },
    { name: "hang", waits: Math.min(waits, 4), fate: () => ({ kind: "hang" }) },
    dropped("dropped", waits, 1006),
    { name: "open-then-dropped", waits, fate: () => ({ kind: "session", after: 20, life: 0, code: 1006, acknowledged: false }) },
    {
      name: "acknowledged-then-dropped",
      waits,
      fate: () => ({ kind: "session", after: 20, life: 50, code: 1006, acknowledged: true }),
    },
    { name: "failures", waits: failures, fate: () => refused },
    ...closeCodes.filter((code) => code !== 1006).map((code) => dropped(`close-${code}`, Math.min(waits, 4), code)),
    dropped("hint", Math.min(waits, 4), 1013, hintReason),
  ];
}
