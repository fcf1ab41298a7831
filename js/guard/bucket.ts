import { dawn, instant, max, Rule, type Decision, type Limit } from "./rule.js";

/** One bucket: the fleet's. It starts full; its time never runs back, so no clock can mint tokens. */
export class Bucket {
  readonly rule: Rule;
  private full = dawn;
  private clock = dawn;

  constructor(limit: Limit | Rule) {
    this.rule = limit instanceof Rule ? limit : Rule.compile(limit);
  }

  /** Asks for n tokens at an instant in ns of a monotonic clock; 0 looks without taking. */
  take(now: bigint, n: bigint = 1n): Decision {
    this.clock = max(this.clock, instant(now));
    const [full, decision] = this.rule.decide(this.full, this.clock, n);
    this.full = full;
    return decision;
  }
}
