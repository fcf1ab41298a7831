import { badValue } from "../src/failure.js";

/** What an operator says: tokens a second, and how many may be taken at once. */
export interface Limit {
  /** Tokens a second, above 0; Infinity is no limit, whatever the burst. */
  readonly rate: number;
  /** Tokens that may be taken at once, a whole number of 0 or more; 0 admits nothing. */
  readonly burst: number | bigint;
}

/** The answer to one demand. Times are in ns; `never` is a wait that no patience satisfies. */
export interface Decision {
  readonly allowed: boolean;
  /** Whole tokens left after the decision. */
  readonly remaining: bigint;
  /** 0 when allowed, else the wait after which the same demand is met if nobody else takes. */
  readonly retryAfter: bigint;
  /** Until the bucket is full again. */
  readonly resetAfter: bigint;
}

/** A wait that no patience satisfies: more tokens than the burst. */
export const never = (1n << 63n) - 1n;

/** The end of the range of instants, in ns either way: 146 years. */
export const latest = 1n << 62n;

/** Before every instant: what a bucket that was never used is full since. */
export const dawn = -(1n << 63n);

/**
 * The limit that never admits more than a number in any second, its burst counted in: a burst of B at once, and C − B + 1 a
 * second grow back. Nine tenths of the number are sustained by default; core/bucket in Go says why.
 */
export function atMost(perSecond: number, burst?: number, prefix = ""): { readonly rate: number; readonly burst: number } {
  const bad = (field: string, value: unknown, expected: string) => badValue("guard", prefix + field, value, expected);
  if (typeof perSecond !== "number" || !(perSecond > 0 && perSecond <= 1e15)) throw bad("rate", perSecond, "a number above 0, to 1e+15 (in any second)");
  const most = Math.ceil(perSecond);
  const b = burst ?? Math.max(1, Math.floor(most / 10));
  if (!Number.isInteger(b) || b < 1 || b > most) throw bad("burst", b, `from 1 to ${most}, the rate: it is the most in any second, the burst counted in`);
  return { rate: Math.min(perSecond, most - b + 1), burst: b };
}

/** A compiled limit: GCRA in whole nanoseconds, as core/bucket in Go. BigInt, because instants have more than 53 bits. */
export class Rule {
  private constructor(
    /** ns for one token, rounded up; 0 without limit. */
    readonly interval: bigint,
    readonly burst: bigint,
    /** ns for all of them. */
    readonly span: bigint,
    readonly open: boolean,
  ) {}

  /** Checks a limit: the one place that refuses. */
  static compile(limit: Limit, prefix = ""): Rule {
    const { rate } = limit;
    const bad = (field: string, value: unknown, expected: string) => badValue("guard", prefix + field, value, expected);
    if (typeof rate !== "number" || !(rate > 0)) throw bad("rate", rate, "a number above 0 (tokens a second)");
    if (typeof limit.burst !== "bigint" && !Number.isInteger(limit.burst) || limit.burst < 0) throw bad("burst", limit.burst, "a whole number of 0 or more (tokens)");
    const burst = BigInt(limit.burst);
    if (rate === Infinity) return new Rule(0n, never, 0n, true);
    const slow = () => bad("rate", rate, `fast enough that the burst of ${burst} grows in less than 146 years`);
    if (1e9 / rate >= Number(latest)) throw slow();
    const interval = nanoseconds(rate);
    if (interval * burst >= latest) throw slow();
    return new Rule(interval, burst, interval * burst, false);
  }

  /** The whole algorithm: the new instant at which the bucket is full again, and the decision. */
  decide(full: bigint, now: bigint, n: bigint): [bigint, Decision] {
    if (this.open) return [full, { allowed: true, remaining: never, retryAfter: 0n, resetAfter: 0n }];
    let debt = full > now ? min(full - now, this.span) : 0n;
    if (n < 0n) n = 0n;
    const left = () => (this.interval > 0n ? (this.span - debt) / this.interval : 0n);
    if (n > this.burst) return [full, { allowed: false, remaining: left(), retryAfter: never, resetAfter: debt }];
    const wait = debt + n * this.interval - this.span;
    if (wait > 0n) return [full, { allowed: false, remaining: left(), retryAfter: wait, resetAfter: debt }];
    if (n > 0n) {
      debt += n * this.interval;
      full = now + debt;
    }
    return [full, { allowed: true, remaining: left(), retryAfter: 0n, resetAfter: debt }];
  }
}

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Cuts an instant to the stated range. */
export const instant = (now: bigint): bigint => min(max(now, -latest), latest);

/** 10^9/rate rounded up, exactly: a rate is m·2^exp. */
function nanoseconds(rate: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, rate);
  const bits = view.getBigUint64(0);
  const exp = Number(bits >> 52n) - 1075;
  const m = (bits & ((1n << 52n) - 1n)) | (1n << 52n);
  if (exp >= 0) return 1n;
  const goal = 1_000_000_000n << BigInt(-exp);
  return (goal + m - 1n) / m;
}
