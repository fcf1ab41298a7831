import { dawn, instant, max, min, Rule, type Limit } from "./rule.js";
import { Slots } from "./table.js";

/** Tells the refused when to come again: each stranger another moment, 1/(0.8·rate) apart, so that refusals make no new herd. */
export class Queue {
  private readonly gap: bigint;
  private readonly slots: Slots;
  private head = dawn;

  constructor(
    fleet: Limit | Rule,
    private readonly longest: bigint = 300_000_000_000n,
    keys = 65_536,
    private readonly shortest: bigint = 1_000_000_000n,
  ) {
    const rule = fleet instanceof Rule ? fleet : Rule.compile(fleet);
    this.gap = min(BigInt(Math.trunc(Number(rule.interval) / 0.8)), longest);
    this.slots = new Slots(keys);
  }

  /** How long, in ns, a refused client should stay away; u is 64 random bits. */
  wait(id: bigint, now: bigint, u: bigint): bigint {
    const at = instant(now);
    const place = this.slots.find(id);
    const window = this.head > at ? min(max(this.head - at, this.shortest), this.longest) : this.shortest;
    if (place >= 0 && this.slots.at(place) > at) {
      const rest = this.slots.at(place) - at;
      return min(max(rest + ((u * window) >> 64n), this.shortest), this.longest);
    }
    const moment = max(this.head, at + this.shortest) + this.gap;
    if (moment > at + this.longest) return this.shortest + ((u * (this.longest - this.shortest + 1n)) >> 64n);
    this.head = moment;
    this.slots.put(place >= 0 ? place : this.slots.leastOfFirst(id), id, moment);
    return moment - at;
  }
}
