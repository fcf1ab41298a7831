import type { Finding, LintResult, Severity, Step } from "../src/report.js";
import type { Observation } from "./observe.js";

/** The five severities, mildest first. */
export const severities = ["info", "low", "medium", "high", "critical"] as const satisfies readonly Severity[];
export type { Finding, LintResult, Severity, Step };

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
