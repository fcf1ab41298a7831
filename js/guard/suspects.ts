/** A peer is taken for a proxy that nobody declared while it carries more than this share of the handshakes … */
export const proxyShare = 0.2;
/** … and shows this many different forwarded addresses within a minute. */
export const proxyAddresses = 20;

const window = 60_000_000_000n;
const watched = 8; // more than 1/proxyShare peers cannot carry that share each

interface Suspect {
  key: string;
  count: number;
  readonly seen: Set<string>;
  was: boolean; // seen was full in the window before
}

/**
 * The peers that look like proxies nobody declared, behind which a limit for each client is a limit for all: Misra and
 * Gries's frequent items (1982) with eight counters, halved every minute so that the past fades. The same as in Go.
 */
export class Suspects {
  private entries: Suspect[] = [];
  private total = 0;
  private turn = -(1n << 62n);

  /** Counts a handshake of a peer that showed a forwarded address ("": none); news when the suspicion has just begun. */
  observe(key: string, forwarded: string, now: bigint): { suspected: boolean; news: boolean } {
    if (now >= this.turn) {
      this.turn = now + window;
      this.total = Math.trunc(this.total / 2);
      for (const e of this.entries) {
        e.count = Math.trunc(e.count / 2);
        e.was = e.seen.size === proxyAddresses;
        e.seen.clear();
      }
      this.entries = this.entries.filter((e) => e.count > 0);
    }
    this.total++;
    const e = this.entry(key);
    if (!e) return { suspected: false, news: false };
    const before = this.suspected(e);
    e.count++;
    if (forwarded !== "" && e.seen.size < proxyAddresses) e.seen.add(forwarded.slice(-64));
    const suspected = this.suspected(e);
    return { suspected, news: suspected && !before };
  }

  /** The keys of the peers that are suspected now. */
  list(): string[] {
    return this.entries.filter((e) => this.suspected(e)).map((e) => e.key);
  }

  private suspected(e: Suspect): boolean {
    return (e.seen.size === proxyAddresses || e.was) && e.count > proxyShare * this.total;
  }

  /** The key's counter, a new one, or none after the step of Misra and Gries. */
  private entry(key: string): Suspect | undefined {
    const known = this.entries.find((e) => e.key === key);
    if (known) return known;
    if (this.entries.length < watched) {
      const e = { key, count: 0, seen: new Set<string>(), was: false };
      this.entries.push(e);
      return e;
    }
    for (const e of this.entries) e.count--;
    this.entries = this.entries.filter((e) => e.count > 0);
    return undefined;
  }
}
