// The shapes of simulations and recommendations, as core/herd reads and writes them. They grow: fields are added, never
// renamed. Durations are in ms, capacities in handshakes a second.

/** Clients that come back, and the server they come back to; the words of `stormlint simulate`. */
export interface Scenario {
  /** How many fall together, 1 to 1,000,000. */
  clients?: number;
  /** Handshakes a second that the server can do. */
  capacity?: number;
  /** Handshakes that may wait in the server's queue. Default 511. */
  backlog?: number;
  /** How long a client waits for its handshake. Default 10,000. */
  timeout_ms?: number;
  /** What refusing a client costs the server, in handshakes. Default 0.1. */
  reject_cost?: number;
  /** Sockets that the server can hold. Default: no limit. */
  fd_limit?: number;
  /** Median round trip, and its spread (of the logarithm). Defaults 50 and 0.5. */
  rtt_ms?: number;
  rtt_sigma?: number;
  /** Clients that cannot be changed, as "20%:fixed:1s". */
  others?: string[];
  /** The server is away for so long after the drop; whether attempts hang meanwhile. Defaults 0 and false. */
  outage_ms?: number;
  outage_hangs?: boolean;
  /** A full backlog drops connections silently. Default false. */
  drop_syn?: boolean;
  /** The server does no work for clients that have left. Default false. */
  skip_departed?: boolean;
  /** Extra work of a handshake when the house is full, in handshakes. Default 0. */
  growth?: number;
  /** Another seed is another run of the same scenario. Default 0. */
  seed?: number;
  /** Stop there at the latest. Default: the outage + max(15 min, 10 N/C). */
  horizon_ms?: number;
  /** Stop after so many attempts. Default 300,000,000. */
  max_events?: number;
  /** A report of an analysis: clients, policies and the capacity seen are taken from it. */
  report?: object;
}

/** A question to the simulator. */
export interface SimulateRequest extends Scenario {
  /** One policy or several, as SPECs or objects. */
  policy?: string | object | (string | object)[];
  /** The server closes its clients over this time, in so many steps. */
  drain_ms?: number;
  batches?: number;
  /** Drops one after another: at_ms, and which share of the connected clients (1). */
  drops?: { at_ms: number; share?: number; over_ms?: number; batches?: number }[];
  /** A rolling restart. */
  restart?: { nodes: number; every_ms: number; down_ms: number; drain_ms?: number };
  /** A token bucket before the server. */
  door?: { rate: number; burst?: number; retry_after_ms?: number; jitter_ms?: number };
}

/** A question to the recommender. */
export interface RecommendRequest extends Scenario {
  /** N, C and the backlog are known: no room for error. Default false. */
  tight?: boolean;
  /** The longest that a user may wait; without a capacity, the capacity that it takes is worked out. */
  max_wait_ms?: number;
  /** The clients have this policy and keep it. */
  clients_fixed?: string | object;
  /** Nodes of the deployment. Default 10. */
  nodes?: number;
}

/** How long clients were away; null where nobody came back. */
export interface Away {
  mean_ms: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  last_ms: number | null;
}

/** The same, and how many came back or gave up. */
export interface Recovery extends Away {
  recovered: number;
  gave_up: number;
}

/** Attempts and sessions in bins of one width. */
export interface Bins {
  bin_ms: number;
  counts: number[];
  opens: number[];
}

/** What one policy came to. */
export interface Outcome {
  /** Its SPEC. */
  policy: string;
  clients: number;
  recovery: Recovery;
  /** The same from the end of the outage on. */
  wait: Away;
  /** The busiest bin, as attempts a second, and its width. */
  peak_per_s: number;
  peak_bin_ms: number;
  outage_peak_per_s: number;
  /** Failed attempts for each client. */
  waste_per_client: number;
  attempts: number;
  refused: number;
  turned_away: number;
  timed_out: number;
  syn_lost: number;
  /** The most sockets at once. */
  fd_peak: number;
  /** Why it was stopped before the end; "" for not. */
  stopped: string;
  stopped_at_ms: number;
  /** Why not everybody came back, as a word and in plain words; "" where they did. */
  reason: string;
  explanation: string;
  /** Shares of the server's time. */
  work: { useful: number; departed: number; refusals: number; idle: number };
  groups: { name: string; clients: number; recovery: Recovery }[];
  arrivals: Bins;
  /** The first moments in finer bins. */
  head: Bins;
  /** What theory says of this policy, by name. */
  closed_form: Record<string, number | null>;
  /** After a rolling restart, where the sessions are. */
  sessions_per_node?: number[];
}

/** The simulator's answer. */
export interface Simulation {
  results: Outcome[];
  /** N/C: no policy can be quicker. */
  limit_ms: number | null;
  notes: string[];
}

/** The recommender's answer. */
export interface Advice {
  /** The policy for the clients, as a SPEC. */
  policy: string;
  clients: number;
  capacity: number;
  /** N/C: no policy can be quicker. */
  limit_ms: number;
  /** null where the clients keep their policy. */
  window_ms: number | null;
  retry_ms: number | null;
  cap_ms: number | null;
  backlog: number;
  timeout_ms: number;
  drain_ms: number;
  batch_size: number;
  batch_every_ms: number;
  nodes: number;
  node_drain_ms: number;
  admission_per_s: number;
  admission_burst: number;
  down_attempts_per_s: number;
  user_wait: { mean_ms: number; p95_ms: number };
  peak_per_s: number;
  /** What happens when reality differs from the question. */
  if_wrong: { case: string; recovered: boolean; last_ms: number; last_over_limit: number | null; peak_over_capacity: number; waste_per_client: number; reason: string }[];
  /** Configuration of servers and code for clients, by name. */
  snippets: Record<string, string>;
  warnings: string[];
}
