import type { Observation } from "./observe.js";

/** The five severities, mildest first. */
export const severities = ["info", "low", "medium", "high", "critical"] as const;
export type Severity = (typeof severities)[number];

/** One finding of the linter: the rule's name, how grave, in plain words, on what evidence, and what to change. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly subject: string;
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly advice: string;
}

/** What clients wait before one attempt, in ms. */
export interface Step {
  readonly attempt: number;
  readonly min_ms: number;
  readonly mean_ms: number;
  readonly max_ms: number;
  /** (longest − shortest) / longest: 0 none, 1 full jitter. */
  readonly spread: number;
  /** How far apart clients arrive that fell together. */
  readonly arrival_spread_ms: number;
  /** The largest share on one value. */
  readonly point_mass: number;
}

/** The linter's answer, as `stormlint lint -o json` prints it. */
export interface LintResult {
  readonly schema: string;
  readonly policy?: string;
  readonly runs?: readonly object[];
  readonly findings: readonly Finding[];
  readonly envelope: readonly Step[];
  readonly clients?: number;
  readonly capacity?: number;
  readonly warnings: readonly string[];
}

/** What is judged and how strictly. */
export interface SafeOptions {
  /** The mildest severity that fails. @default "high" */
  readonly failOn?: Severity;
  /** Rules that may fire, each with the reason why it is accepted here. */
  readonly allow?: Readonly<Record<string, string>>;
}

/** Marks verdicts across copies of this module: a package may be loaded as ESM and CJS, and in a runner's own context. */
const brand = Symbol.for("stormlint.verdict");

/** Whether something is a verdict. */
export function isVerdict(x: unknown): x is Verdict {
  return typeof x === "object" && x !== null && brand in x;
}

/** A lint result that remembers how it was got. */
export class Verdict {
  readonly [brand] = true;

  constructor(
    readonly result: LintResult,
    /** What was done, for the message: "lintClient(client, { seed: 1 })"; empty for a policy. */
    readonly reproduce: string = "",
    readonly observations: readonly Observation[] = [],
  ) {}

  get findings(): readonly Finding[] {
    return this.result.findings;
  }

  /** The findings that fail under the options, gravest first. */
  failing({ failOn = "high", allow = {} }: SafeOptions = {}): readonly Finding[] {
    const least = severities.indexOf(failOn);
    if (least < 0) throw new RangeError(`testkit: failOn is ${JSON.stringify(failOn)}, expected one of ${severities.join(", ")}`);
    for (const [rule, reason] of Object.entries(allow))
      if (typeof reason !== "string" || reason.trim() === "") throw new TypeError(`testkit: allow.${rule} is ${JSON.stringify(reason)}, expected the reason why it is accepted`);
    return this.findings.filter((f) => severities.indexOf(f.severity) >= least && !(f.rule in allow));
  }
}
