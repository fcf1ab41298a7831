// Arrivals at several widths of bin: what is at hand is drawn at once, and what is finer is asked for meanwhile, so that a
// picture follows the hand whatever the size of the log.
import type { Arrivals } from "../../src/report.js";
import { timeStep } from "./ticks.js";

/** Counts in bins of equal width from an instant on, in ms since 1970. */
export interface Level {
  from: number;
  to: number;
  bin: number;
  attempts: number[];
  opens: number[];
  closes: number[];
}

/** Asks for arrivals between two instants. */
export type Series = (from: string, to: string, bin: number) => Promise<Arrivals>;

/** The narrowest bin that is asked for, in ms. */
export const finest = 100;

/** The most bins that are asked for at once. Every answer goes through all events, so it should last for many a move. */
const most = 60_000;

/** What is known of the arrivals. */
export class Levels {
  private readonly base: Level;
  private readonly fine: Level[] = [];
  private readonly least: number;
  private readonly series: Series;
  private readonly arrived: () => void;
  private asking = false;
  private wanted: [number, number, number] | undefined;
  private readonly whole: number; // the narrowest bin in which the whole range is asked for

  constructor(base: Arrivals, resolution: number, series: Series, arrived: () => void) {
    this.base = level(base)!;
    this.least = Math.max(finest, resolution);
    this.whole = Math.max(timeStep((this.base.to - this.base.from) / most), this.narrowest);
    this.series = series;
    this.arrived = arrived;
  }

  /** The whole range. */
  get range(): [number, number] {
    return [this.base.from, this.base.to];
  }

  /** The narrowest bin there can be. */
  get narrowest(): number {
    return Math.min(this.least, this.base.bin);
  }

  /** The bin that suits a view of so many ms for so many bars. */
  bin(span: number, bars: number): number {
    return Math.max(timeStep(span / Math.max(bars, 1)), this.narrowest);
  }

  /** The best that is at hand for a view; what would be better is asked for. */
  best(from: number, to: number, bars: number): Level {
    const bin = this.bin(to - from, bars);
    const [first, last] = [Math.max(from, this.base.from), Math.min(to, this.base.to)];
    if (bin >= this.base.bin) return this.base;
    let best: Level | undefined;
    for (const l of this.fine) if (l.from <= first && l.to >= last && l.bin <= bin && (!best || l.bin > best.bin)) best = l;
    if (best) return best;
    this.ask(from, to, bin >= this.whole ? this.whole : bin);
    for (const l of this.fine) if (l.from <= first && l.to >= last && (!best || l.bin < best.bin)) best = l;
    return best ?? this.base;
  }

  /** Asks for the whole range in narrow bins: somebody is about to look closer. */
  prepare(): void {
    if (this.whole < this.base.bin && !this.fine.some((l) => l.bin === this.whole)) this.ask(this.base.from, this.base.to, this.whole);
  }

  // One question at a time, and of those that wait only the last: the others' view has gone by.
  private ask(from: number, to: number, bin: number): void {
    this.wanted = [from, to, bin];
    if (!this.asking) void this.answer();
  }

  private async answer(): Promise<void> {
    this.asking = true;
    while (this.wanted) {
      const [from, to, bin] = this.wanted;
      this.wanted = undefined;
      const all = bin >= this.whole;
      const pad = Math.max(to - from, (most * bin - (to - from)) / 2);
      const start = Math.floor((all ? this.base.from : Math.max(from - pad, this.base.from)) / bin) * bin;
      const end = Math.ceil((all ? this.base.to : Math.min(to + pad, this.base.to)) / bin) * bin;
      if (this.fine.some((l) => l.bin === bin && l.from <= start && l.to >= end)) continue;
      try {
        const l = level(await this.series(stamp(start), stamp(end), bin));
        if (l) this.fine.push(l);
        if (this.fine.length > 12) this.fine.shift();
        this.arrived();
      } catch {
        break; // the coarse picture stays
      }
    }
    this.asking = false;
  }
}

function stamp(ms: number): string {
  return new Date(ms).toISOString();
}

function level(a: Arrivals): Level | undefined {
  if (!a.from) return undefined;
  const from = Date.parse(a.from);
  return { from, to: from + a.attempts.length * a.bin_ms, bin: a.bin_ms, attempts: a.attempts, opens: a.opens, closes: a.closes };
}

/** Sums a level into wider bins: bars that are wide enough to see. */
export function widened(l: Level, from: number, to: number, bin: number): Level {
  const times = Math.max(1, Math.round(bin / l.bin));
  const width = l.bin * times;
  const start = Math.floor(from / width) * width;
  const n = Math.max(1, Math.ceil((to - start) / width));
  const out: Level = { from: start, to: start + n * width, bin: width, attempts: new Array<number>(n).fill(0), opens: new Array<number>(n).fill(0), closes: new Array<number>(n).fill(0) };
  const first = Math.max(0, Math.floor((start - l.from) / l.bin));
  const last = Math.min(l.attempts.length, Math.ceil((out.to - l.from) / l.bin));
  for (let i = first; i < last; i++) {
    const at = Math.floor((l.from + i * l.bin - start) / width);
    if (at < 0 || at >= n) continue;
    out.attempts[at]! += l.attempts[i]!;
    out.opens[at]! += l.opens[i]!;
    out.closes[at]! += l.closes[i]!;
  }
  return out;
}
