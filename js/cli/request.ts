import { StormlintError } from "../src/failure.js";
import { withBody } from "../src/instance.js";

/** JSON that goes to the core as it stands. */
export class Raw {
  /** Takes JSON text of any layout: a request is one line. */
  constructor(readonly text: string) {}

  /** The text as JSON, or undefined where it is none. */
  static of(text: string): Raw | undefined {
    try {
      JSON.parse(text);
    } catch {
      return undefined;
    }
    return new Raw(text.replace(/[\r\n]/g, " ")); // none can stand inside a string
  }
}

/** The error of flags that do not fit each other or their values. */
export function usage(field: string, value: string, expected: string): StormlintError {
  return new StormlintError("bad-usage", `${field} is ${value}, expected ${expected}`, { field, value, expected });
}

/** A request in the making: the core's words, with what they come to. */
export type Fields = Record<string, unknown>;

/** Writes a request to the core. JSON has no NaN and no infinity, but flags have: they are refused by name. */
export function encode(request: Fields, body?: Uint8Array): Uint8Array {
  const found = infinite(request);
  if (found) throw usage(`--${found.name.replaceAll("_", "-")}`, found.value, "a finite number");
  return withBody(text(request), body);
}

function text(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(text).join(",")}]`;
  if (typeof value === "object" && value !== null) return `{${sorted(value).map(([key, v]) => `${JSON.stringify(key)}:${text(v)}`).join(",")}}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const sorted = (object: object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

/** Finds a number that is none, and the flag it came from: the outer name, of a list its singular. */
function infinite(request: object): { name: string; value: string } | undefined {
  for (const [key, given] of sorted(request)) {
    const many = Array.isArray(given) && given.some((v) => typeof v === "object");
    const name = many ? key.replace(/s$/, "") : key;
    for (const value of many ? (given as unknown[]) : [given]) {
      if (typeof value === "number" && !Number.isFinite(value)) return { name, value: Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf" };
      if (typeof value !== "object" || value === null || value instanceof Raw || Array.isArray(value)) continue;
      const inner = infinite(value);
      if (inner) return key === "options" ? inner : { name, value: inner.value };
    }
  }
  return undefined;
}

/** Copies flags that were given into a request: "log-format" becomes log_format, unless another name is given. */
export function take(into: Fields, flags: ReadonlyMap<string, unknown>, ...names: readonly (string | readonly [flag: string, key: string])[]): void {
  for (const entry of names) {
    const [flag, key] = typeof entry === "string" ? [entry, entry.replaceAll("-", "_")] : entry;
    const value = flags.get(flag);
    if (value !== undefined && value !== "" && value !== false) into[key] = value;
  }
}

/** Reads "1000/day", or a bare number of attempts a day. */
export function perDay(value: string): bigint {
  const n = /^([1-9]\d{0,18})(\/day)?$/.exec(value);
  if (!n) throw usage("--budget", value, "attempts a day, such as 1000/day");
  return BigInt(n[1]!);
}
