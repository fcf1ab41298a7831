import { readHint } from "./hint.js";
import { timerLimit } from "./delay.js";
import type { ReconnectOptions, Settings, SocketConstructor } from "./options.js";

/** The error of an option outside its range; its code is the word that every part of stormlint uses for this. */
export class OptionError extends RangeError {
  readonly code = "bad-value";
  constructor(
    readonly field: string,
    readonly value: unknown,
    readonly expected: string,
  ) {
    super(`reconnect: ${field} is ${String(value)}, expected ${expected}`);
  }
}

/** Codes that a retry cannot cure: protocol and policy errors, 4000–4099 (by Pusher's ranges), and the 44xx codes that mirror an HTTP refusal. */
function fatalByDefault(code: number): boolean {
  return [1002, 1003, 1007, 1008, 1010, 3000, 3003].includes(code) || (code >= 4000 && code <= 4099) || (code >= 4400 && code <= 4404);
}

/** Fills in the defaults and refuses what lies outside its range: the one place that does either. */
export function settle(o: ReconnectOptions): Settings {
  const number = (field: keyof ReconnectOptions, fallback: number, low: number, high: number): number => {
    const value = o[field] === undefined ? fallback : o[field];
    if (typeof value !== "number" || !(value >= low && value <= high))
      throw new OptionError(field, value, `a number from ${low} to ${high}`);
    return value;
  };
  const base = number("base", Math.min(5000, o.cap ?? 5000), 1, timerLimit);
  const WebSocket = o.WebSocket ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
  if (!WebSocket)
    throw new OptionError(
      "WebSocket",
      WebSocket,
      "a constructor: this runtime has none of its own, pass { WebSocket } of the package ws",
    );
  const { fatal } = o;
  return {
    base,
    cap: number("cap", Math.max(60_000, base), base, timerLimit),
    factor: number("factor", 2, 1, 1e6),
    window: o.window === undefined ? 0 : number("window", 0, 1, timerLimit),
    maxAttempts: number("maxAttempts", Infinity, 1, Infinity),
    stableAfter: number("stableAfter", 5000, 0, timerLimit),
    connectTimeout: number("connectTimeout", 20_000, 1, timerLimit),
    hintCap: number("hintCap", 3_600_000, 0, timerLimit),
    buffer: number("buffer", 0, 0, Infinity),
    fatal: typeof fatal === "function" ? fatal : fatal ? (code) => fatal.includes(code) : fatalByDefault,
    hint: o.hint ?? ((event) => readHint(event.reason)),
    random: o.random ?? (() => Math.random()),
    // Looked up at each call, so that a test which replaces the globals later is obeyed.
    timers: o.timers ?? {
      setTimeout: (callback, ms) => setTimeout(callback, ms),
      clearTimeout: (id) => clearTimeout(id as ReturnType<typeof setTimeout>),
      now: () => Date.now(),
    },
    WebSocket,
  };
}
