// Numbers and durations as the Go command line reads them, so that a script can move from one to the other.

/** Reads an integer: decimal, 0x, 0o, 0b or a leading zero, with _ between digits. undefined: it is none. */
export function integer(text: string, low: bigint, high: bigint): bigint | undefined {
  const parts = /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/.exec(text);
  if (!parts) return undefined;
  const digits = parts[2]!.replaceAll("_", "");
  const n = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = parts[1] === "-" ? -n : n;
  return value < low || value > high ? undefined : value;
}

/** Reads a decimal number, NaN and Infinity by their names included. undefined: it is none. */
export function float(text: string): number | undefined {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named) return /^n/i.test(named[2]!) ? NaN : named[1] === "-" ? -Infinity : Infinity;
  const plain = text.replace(/(?<=\d)_(?=\d)/g, "");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

const units: Readonly<Record<string, bigint>> = { ns: 1n, us: 1_000n, µs: 1_000n, μs: 1_000n, ms: 1_000_000n, s: 1_000_000_000n, m: 60_000_000_000n, h: 3_600_000_000_000n };
const longest = (1n << 63n) - 1n;

/** Reads a duration such as 1.5s, 2m30s or 500ms, in ms, or says in what it is none. */
export function duration(text: string): number | string {
  const invalid = `time: invalid duration ${quoted(text)}`;
  const signed = /^([+-]?)(.*)$/s.exec(text)!;
  let rest = signed[2]!;
  if (rest === "0") return 0;
  if (rest === "") return invalid;
  let sum = 0n;
  while (rest !== "") {
    const part = /^(\d*)(?:\.(\d*))?/.exec(rest)!;
    const [number, whole = "", decimals = ""] = part;
    if (whole === "" && decimals === "") return invalid;
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)![0];
    if (unit === "") return `time: missing unit in duration ${quoted(text)}`;
    const ns = units[unit];
    if (ns === undefined) return `time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`;
    rest = rest.slice(unit.length);
    sum += BigInt(whole || "0") * ns + (BigInt(decimals || "0") * ns) / 10n ** BigInt(decimals.length);
    if (sum > longest) return invalid;
  }
  return Number(signed[1] === "-" ? -sum : sum) / 1e6;
}

/** A text in quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
