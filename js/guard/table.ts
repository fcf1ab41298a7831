import { badValue } from "../src/failure.js";
import { dawn, instant, max, Rule, type Decision, type Limit } from "./rule.js";

const ways = 8;
const bias = 1n << 63n;

/** How many sets hold three slots for each key expected to be live. */
export function sets(keys: number): number {
  if (!Number.isInteger(keys) || keys < 1 || keys > 1 << 26)
    throw badValue("guard", "keys", keys, `1 to ${1 << 26}`);
  return Math.ceil((3 * keys) / ways);
}

/** Slots of sixteen bytes in sets of eight: a key's 64-bit name and an instant. Memory that never grows. */
export class Slots {
  private readonly words: BigUint64Array;
  private readonly count: bigint;

  constructor(keys: number) {
    const n = sets(keys);
    this.count = BigInt(n);
    this.words = new BigUint64Array(n * ways * 2);
  }

  /** The place of a key, or −1. */
  find(id: bigint): number {
    for (const start of this.lines(id))
      for (let i = start; i < start + ways; i += 2) if (this.words[i] === id) return i;
    return -1;
  }

  /** The place whose instant is soonest: of the key's first line if one there has passed, else of both. */
  least(id: bigint, now: bigint): number {
    const [first, second] = this.lines(id);
    const a = this.soonest(first);
    if (this.at(a) <= now) return a;
    const b = this.soonest(second);
    return this.at(b) < this.at(a) ? b : a;
  }

  /** The place whose instant is soonest in the key's first line. */
  leastOfFirst(id: bigint): number {
    return this.soonest(this.lines(id)[0]);
  }

  at(place: number): bigint {
    return this.words[place + 1]! - bias;
  }

  put(place: number, id: bigint, at: bigint): void {
    this.words[place] = id;
    this.words[place + 1] = at + bias;
  }

  /** Both lines of four in which a key may lie, its first one first. */
  private lines(id: bigint): [number, number] {
    const set = Number((id * this.count) >> 64n) * ways * 2;
    return (id & 1n) === 0n ? [set, set + ways] : [set + ways, set];
  }

  /** Ties go as in Go: of each pair the first, and of both pairs the first. */
  private soonest(start: number): number {
    const a = this.at(start + 2) < this.at(start) ? start + 2 : start;
    const b = this.at(start + 6) < this.at(start + 4) ? start + 6 : start + 4;
    return this.at(b) < this.at(a) ? b : a;
  }
}

/** The buckets of very many keys under one rule. A newcomer to a full set inherits the smallest debt in it, so eviction
 *  never gives tokens away. */
export class Table {
  readonly rule: Rule;
  private readonly slots: Slots;
  private clock = dawn;

  constructor(limit: Limit | Rule, keys = 65_536) {
    this.rule = limit instanceof Rule ? limit : Rule.compile(limit);
    this.slots = new Slots(keys);
  }

  /** Asks for n tokens of one key, named by `hash`, at an instant in ns. */
  take(id: bigint, now: bigint, n: bigint = 1n): Decision {
    this.clock = max(this.clock, instant(now));
    let place = this.slots.find(id);
    if (place < 0) place = this.slots.least(id, this.clock);
    const old = this.slots.at(place);
    const [full, decision] = this.rule.decide(old, this.clock, n);
    if (full !== old) this.slots.put(place, id, full);
    return decision;
  }
}
