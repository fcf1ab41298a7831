import type { Bucket } from "./bucket.js";
import type { Decision } from "./rule.js";
import type { Table } from "./table.js";

/** The limit that refused: nobody, the client's own, or that of all clients together. */
export type Gate = "open" | "client" | "fleet";

/** A bucket for each client and one for the fleet: both are charged or neither. */
export class Door {
  constructor(
    readonly clients: Table | undefined,
    readonly fleet: Bucket | undefined,
  ) {}

  take(id: bigint, now: bigint): [Decision, Gate] {
    const { clients, fleet } = this;
    if (!clients) return this.takeFleet(now);
    if (fleet && fleet.take(now, 0n).remaining < 1n) {
      if (clients.take(id, now, 0n).remaining < 1n) return [clients.take(id, now), "client"];
      return [fleet.take(now), "fleet"];
    }
    const decision = clients.take(id, now);
    if (!decision.allowed) return [decision, "client"];
    fleet?.take(now);
    return [decision, "open"];
  }

  takeFleet(now: bigint): [Decision, Gate] {
    if (!this.fleet) return [{ allowed: true, remaining: 0n, retryAfter: 0n, resetAfter: 0n }, "open"];
    const decision = this.fleet.take(now);
    return [decision, decision.allowed ? "open" : "fleet"];
  }
}
