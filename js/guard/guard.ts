import { createHash, randomBytes } from "node:crypto";
import { StormlintError } from "../src/failure.js";
import { clientOf, network, Networks, parse } from "./address.js";
import { Bucket } from "./bucket.js";
import { Door, type Gate } from "./door.js";
import { hash } from "./hash.js";
import { Queue } from "./queue.js";
import { atMost, Rule, type Decision } from "./rule.js";
import { proxyAddresses, proxyShare, Suspects } from "./suspects.js";
import { Table } from "./table.js";

/** What a guard can be told. The default watches and refuses nobody. */
export interface GuardOptions {
  /** `shadow` counts and lets in; `enforce` refuses. @default "shadow" */
  readonly mode?: "shadow" | "enforce";
  /**
   * Who a client is: `ip` behind the trusted proxies (IPv6 by its /64), `direct` the peer's own address, `none` for the
   * fleet's limit alone, or a header that something before the guard sets. Needed before anybody is refused; `ip` then
   * needs trusted proxies, because behind one that was not declared all clients have one address. @default "ip"
   */
  readonly key?: "ip" | "direct" | "none" | { readonly header: string };
  /** Networks whose forwarded header is believed. @default [] */
  readonly trustedProxies?: readonly string[];
  /** The header that they append the client to. @default "x-forwarded-for" */
  readonly forwardedHeader?: string;
  /** Networks that are never limited: health checks. @default [] */
  readonly allow?: readonly string[];
  /** Handshakes a second for each client, above 0; Infinity is no limit. @default 2 */
  readonly rate?: number;
  /** Handshakes at once for each client, at least 1. @default 5 */
  readonly burst?: number;
  /** Handshakes in any second for all clients together, the burst counted in; undefined is no limit. */
  readonly fleetRate?: number;
  /** How many of them at once, from 1 to `fleetRate`. @default a tenth of it; nine tenths are then sustained */
  readonly fleetBurst?: number;
  /** Clients expected to be live at once, 48 bytes each. @default 65536 */
  readonly keys?: number;
  /** The longest wait that a refusal asks for, in ms, from 1000 to a day. @default 300000 */
  readonly longestWait?: number;
  /** A monotonic clock in ns. @default process.hrtime.bigint */
  readonly now?: () => bigint;
  /** 64 random bits. @default from node:crypto */
  readonly random?: () => bigint;
}

/** The part of a request that a guard reads. */
export interface Knock {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** What the guard decided over one handshake. */
export interface Verdict {
  readonly outcome: "admitted" | "refused" | "would_refuse" | "exempt";
  /** Refused, and to be refused: false in shadow mode. */
  readonly refused: boolean;
  /** The limit that is exceeded; `open` for none. */
  readonly gate: Gate;
  /** Who asked. */
  readonly key: string;
  /** The client's limit was not asked: its address looks like a proxy that nobody declared. */
  readonly suspended: boolean;
  /** How long a refused client is told to wait, in ms; another for each client. */
  readonly hintMs: number;
  readonly decision: Decision;
  /** For `ws.close(1013, reason)`: the only word that a browser sees. */
  readonly reason: string;
}

/** Where a refusal is written: the socket of the upgrade event. */
export interface Wire {
  end(text: string): unknown;
  destroySoon?(): void;
}

/**
 * Limits handshakes before the upgrade. A browser cannot see 429, 503 or Retry-After; it sees a close frame, so for
 * browsers accept and close with 1013 and `verdict.reason`. A limit for each client does not stop a herd in which every
 * client tries once; `fleetRate` does. The limits are this process's: three processes admit three times as much.
 */
export class Guard {
  /** How many handshakes by outcome and gate: `refused fleet`. */
  readonly counts = new Map<string, number>();
  private readonly mode: "shadow" | "enforce";
  private readonly key: GuardOptions["key"] & {};
  private readonly proxies: Networks;
  private readonly allowed: Networks;
  private readonly forwarded: string;
  private readonly door: Door;
  private readonly suspects = new Suspects();
  private readonly queue: Queue | undefined;
  private readonly longest: bigint;
  private readonly now: () => bigint;
  private readonly random: () => bigint;
  private readonly seed: bigint;
  private readonly limits: Readonly<Record<Gate, { rate: number; burst: number } | undefined>>;

  constructor(o: GuardOptions = {}) {
    const bad = (field: string, value: unknown, expected: string, code = "bad-value") =>
      new StormlintError(code, `guard: ${field} is ${String(value)}, expected ${expected}`, { package: "guard", field, value: String(value), expected });
    this.mode = o.mode ?? "shadow";
    if (this.mode !== "shadow" && this.mode !== "enforce") throw bad("mode", JSON.stringify(o.mode), "shadow or enforce");
    if (this.mode === "enforce" && o.key === undefined) throw bad("key", "not set", "ip, direct, none or a header before the guard may refuse anybody", "bad-usage");
    this.key = o.key ?? "ip";
    const header = typeof this.key === "object" ? this.key.header : "x";
    if (!(this.key === "ip" || this.key === "direct" || this.key === "none" || typeof this.key === "object") || typeof header !== "string" || !/^[!#$%&'*+.^_`|~\w-]+$/.test(header))
      throw bad("key", JSON.stringify(o.key), "ip, direct, none or { header: NAME }");
    this.proxies = new Networks(o.trustedProxies ?? [], "trustedProxies");
    if (this.mode === "enforce" && this.key === "ip" && this.proxies.size === 0)
      throw bad("key", "ip", "trustedProxies beside it, or direct where no proxy stands before this server", "bad-usage");
    if (this.key === "direct" && this.proxies.size > 0) throw bad("key", "direct", "ip, since trusted proxies are declared");
    this.allowed = new Networks(o.allow ?? [], "allow");
    this.forwarded = (o.forwardedHeader ?? "x-forwarded-for").toLowerCase();
    const whole = (rate: number, burst: number, prefix: string) => {
      const rule = Rule.compile({ rate, burst }, prefix);
      if (!(burst >= 1)) throw bad(`${prefix}burst`, burst, "at least 1: a burst of 0 admits nobody");
      return rule;
    };
    const rate = o.rate ?? 2;
    const burst = o.burst ?? 5;
    const client = this.key === "none" || rate === Infinity ? undefined : new Table(whole(rate, burst, ""), o.keys);
    let fleet: Bucket | undefined;
    this.longest = BigInt(Math.trunc(checked(o.longestWait ?? 300_000, 1000, 86_400_000, "longestWait"))) * 1_000_000n;
    if (o.fleetRate !== undefined) {
      if (o.fleetRate === Infinity) throw bad("fleet rate", o.fleetRate, "a number above 0; leave it out for no limit");
      const rule = Rule.compile(atMost(o.fleetRate, o.fleetBurst, "fleet "), "fleet ");
      fleet = new Bucket(rule);
      this.queue = new Queue(rule, this.longest, o.keys);
    } else if (o.fleetBurst !== undefined) throw bad("fleet burst", o.fleetBurst, "a fleetRate beside it");
    this.door = new Door(client, fleet);
    this.limits = { open: undefined, client: { rate, burst }, fleet: o.fleetRate === undefined ? undefined : { rate: o.fleetRate, burst: Math.ceil(o.fleetRate) } };
    this.now = o.now ?? process.hrtime.bigint;
    this.random = o.random ?? (() => randomBytes(8).readBigUInt64LE());
    this.seed = this.random();

    function checked(value: number, low: number, high: number, field: string): number {
      if (typeof value !== "number" || !(value >= low && value <= high)) throw bad(field, value, `a number from ${low} to ${high}`);
      return value;
    }
  }

  /** Decides over one handshake; call it in the `upgrade` event, before anything is answered. */
  decide(request: Knock): Verdict {
    const { client, key, direct, forwarded } = this.identify(request);
    if (client !== undefined && this.allowed.size > 0 && this.allowed.has(client))
      return this.verdict("exempt", "open", key, 0n, { allowed: true, remaining: 0n, retryAfter: 0n, resetAfter: 0n });
    const id = hash(this.seed, key);
    const now = this.now();
    let suspended = false;
    if (this.key === "ip" && direct) {
      const { suspected, news } = this.suspects.observe(key, forwarded, now);
      suspended = suspected;
      if (news) process.emitWarning(`guard: ${key} looks like a proxy that was not declared (more than ${100 * proxyShare} % of the handshakes, ${proxyAddresses} forwarded addresses): refusals by the client's limit are suspended for it; name it in trustedProxies, or its clients share one limit`, "StormlintWarning");
    }
    const [decision, gate] = suspended ? this.door.takeFleet(now) : this.door.take(id, now);
    if (decision.allowed) return this.verdict("admitted", "open", key, 0n, decision, suspended);
    return this.verdict(this.mode === "shadow" ? "would_refuse" : "refused", gate, key, this.hint(gate, id, now, decision), decision, suspended);
  }

  /** The addresses that look like proxies which were not declared, now: their clients' limit is suspended. */
  undeclaredProxies(): string[] {
    return this.suspects.list();
  }

  /** Answers a refused handshake by status, 429 or 503, and closes. */
  refuse(socket: Wire, verdict: Verdict): void {
    const [status, text] = verdict.gate === "fleet" ? [503, "Service Unavailable"] : [429, "Too Many Requests"];
    const limit = this.limits[verdict.gate];
    const body = `${JSON.stringify({ error: "try again later", limit: verdict.gate, scope: "process", retry_after_ms: verdict.hintMs })}\n`;
    const headers = [
      `HTTP/1.1 ${status} ${text}`,
      `Retry-After: ${Math.max(1, Math.ceil(verdict.hintMs / 1000))}`,
      `Retry-After-Ms: ${verdict.hintMs}`,
      ...(limit ? [
        `RateLimit-Policy: "${verdict.gate}";q=${limit.burst};w=${Math.max(1, Math.round(limit.burst / limit.rate))};scope=process`,
        `RateLimit: "${verdict.gate}";r=${verdict.decision.remaining};t=${Math.max(1, Math.ceil(Number(verdict.decision.retryAfter) / 1e9))}`,
      ] : []),
      "Cache-Control: no-store",
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ];
    socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
    socket.destroySoon?.();
  }

  private identify(request: Knock): { client: string | undefined; key: string; direct: boolean; forwarded: string } {
    const peer = parse(request.socket.remoteAddress ?? "");
    const list = request.headers[this.forwarded];
    const text = Array.isArray(list) ? list.join(",") : (list ?? "");
    const client = clientOf(peer, text, this.proxies);
    const direct = client === peer; // a forwarded list was not believed
    const forwarded = direct ? text.slice(text.lastIndexOf(",") + 1).trim() : "";
    if (typeof this.key === "object") {
      const value = request.headers[this.key.header.toLowerCase()];
      const secret = Array.isArray(value) ? value[0] : value;
      // Hashed, since a header may be a secret. Without it the address tells clients apart.
      if (secret) return { client, direct: false, forwarded, key: `header ${createHash("sha256").update(secret).digest("hex").slice(0, 24)}` };
    }
    return { client, direct, forwarded, key: client === undefined ? "peer" : network(client) };
  }

  private hint(gate: Gate, id: bigint, now: bigint, decision: Decision): bigint {
    if (gate === "fleet" && this.queue) return this.queue.wait(id, now, this.random());
    const least = decision.retryAfter < this.longest ? decision.retryAfter : this.longest;
    const spread = least > 1_000_000_000n ? least : 1_000_000_000n;
    const hint = least + ((this.random() * spread) >> 64n);
    return hint < this.longest ? hint : this.longest;
  }

  private verdict(outcome: Verdict["outcome"], gate: Gate, key: string, hint: bigint, decision: Decision, suspended = false): Verdict {
    const name = `${outcome} ${gate}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    const hintMs = Number((hint + 999_999n) / 1_000_000n);
    return { outcome, refused: outcome === "refused", gate, key, suspended, hintMs, decision, reason: `try again later; retry-after-ms=${hintMs}` };
  }
}
