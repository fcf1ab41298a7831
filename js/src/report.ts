// The shapes of answers, as core/report and core/lint write them. They grow: fields are added, never renamed.

/** RFC 3339, UTC. */
export type Instant = string;

export type Risk = "LOW" | "MEDIUM" | "HIGH" | "CRITICAL";
export type Severity = "info" | "low" | "medium" | "high" | "critical";

export interface Finding {
  rule: string;
  severity: Severity;
  subject: string;
  message: string;
  evidence: Record<string, unknown>;
  advice: string;
}

/** Which policy made the delays; numbers are null where they are not known. */
export interface Schedule {
  verdict: "locked" | "jittered" | "undecided";
  family: string;
  base_ms: number | null;
  multiplier: number | null;
  cap_ms: number | null;
  spread: number | null;
  n: number;
  method: string;
  log_odds: number;
  policy: string | null;
}

export interface Client {
  client: string;
  key: string;
  user_agents: string[];
  first: Instant | null;
  last: Instant | null;
  attempts: number;
  sessions: number;
  open_sessions: number;
  refused: number;
  /** Handshakes that the client ended. */
  aborted: number;
  closes: number;
  /** Attempts in the busiest 60 s. */
  peak_per_min: number;
  over_threshold: boolean;
  /** Sessions at once. */
  max_parallel: number;
  /** Events beyond those that are kept; the peak is a lower bound then. */
  events_beyond_limit: number;
  lifetimes: { n: number; mean_ms: number | null; cv: number | null };
  delays: { n: number; mean_ms: number | null; sd_ms: number | null; cv: number | null; min_ms: number | null; max_ms: number | null };
  /** The last waits, each with its number since the last session. */
  waits: { attempt: number; ms: number }[];
  /** null: undecided. */
  has_jitter: boolean | null;
  schedule: Schedule;
  risk_level: Risk;
  findings: Finding[];
}

/** Clients that have something in common, such as a version. */
export interface Group {
  group: string;
  clients: number;
  attempts: number;
  /** Of all attempts, 0 to 1. */
  share: number;
  refused: number;
  sessions: number;
  clients_by_risk: Record<Risk, number>;
  /** null: too few of them waited often enough. */
  schedule: Schedule | null;
  findings: Finding[];
}

/** A stretch in which far more attempts came than around it. */
export interface Wave {
  at: Instant;
  clients: number;
  attempts: number;
  width_ms: number;
  peak_per_s: number;
  mark: string | null;
}

/** A moment at which many sessions ended together. */
export interface MassDrop {
  at: Instant;
  clients: number;
  sessions: number;
  closed_by: string;
  lifetimes_cv: number | null;
  lifetime_ms: number | null;
  not_returned: number | null;
  mark: string | null;
}

/** How the clients move together. */
export interface Fleet {
  /** Whether arrivals are closer together than chance makes them, at several scales. */
  clumping: { scale_ms: number; p: number; factor: number }[];
  waves: Wave[];
  mass_drops: MassDrop[];
  periodic: { period_ms: number; offset_ms: number; share: number }[];
  /** The most handshakes a second that the server was seen to do. */
  capacity_seen: number | null;
  verdict: "herd" | "calm" | "undecided";
}

export interface Arrivals {
  from: Instant | null;
  bin_ms: number;
  attempts: number[];
  opens: number[];
  closes: number[];
}

export interface Report {
  schema: "stormlint/report/1";
  input: {
    records: number;
    used: number;
    ignored: number;
    skipped: { reason: string; count: number; source: string; first_record: number; sample: string }[];
    /** `told_by` names the source that tells of the same handshakes, for which this one is left out. */
    sources: { name: string; format: string; records: number; told_by?: string }[];
    formats: string[];
    from: Instant | null;
    to: Instant | null;
    resolution_ms: number;
  };
  blind_spots: string[];
  clients: Client[];
  groups: Group[];
  fleet: Fleet;
  arrivals: Arrivals;
  /** The tallest wave in finer bins. */
  close_up: Arrivals | null;
  /** Sessions that lasted less than each limit. */
  lifetimes: { under_ms: number[]; sessions: number[] };
  marks: { at: Instant; label: string }[];
  findings: Finding[];
  warnings: string[];
  totals: {
    clients: number; attempts: number; sessions: number; open_sessions: number; refused: number; aborted: number; closes: number;
    over_threshold: number; clients_by_risk: Record<Risk, number>; duplicates: number; outside_range: number; nameless: number;
  };
}

/** The report of the original prototype. */
export interface CompatReport {
  evaluated_at: Instant;
  threshold_requests_per_min: number;
  analyzed_clients: {
    client_ip: string;
    total_requests: number;
    avg_retry_interval_ms: number;
    has_jitter: boolean;
    is_rate_limited: boolean;
    risk_level: Risk;
  }[];
}

/** What clients wait before one attempt, in ms. */
export interface Step {
  attempt: number;
  min_ms: number;
  mean_ms: number;
  max_ms: number;
  /** (longest − shortest) / longest: 0 none, 1 full jitter. */
  spread: number;
  /** How far apart clients arrive that fell together. */
  arrival_spread_ms: number;
  /** The largest share on one value. */
  point_mass: number;
}

/** The linter's answer, as `stormlint lint -o json` prints it. */
export interface LintResult {
  schema: "stormlint/lint/1";
  /** The SPEC that was judged; absent for recorded runs. */
  policy?: string;
  /** The recorded runs that were judged, by scenario. */
  runs?: {
    scenario: string; runs: number; fewest_delays: number; most_delays: number;
    /** Whether the waits are what full jitter draws (Kolmogorov and Smirnov). */
    full_jitter?: { conforms: boolean; n: number; d: number; p: number; alpha: number };
  }[];
  findings: Finding[];
  envelope: Step[];
  clients?: number;
  capacity?: number;
  warnings: string[];
}

/** How all parts of one input are to be read: give it to analyzer(options, { plan }). */
export interface Plan {
  framing: "lines" | "array";
  /** From the outside in. */
  wrappers: string[];
  /** Names, each with the layout that it was recognised by. */
  formats: [name: string, layout: string][];
  zone?: { name: string; steps: [from: number, offset: number][] };
  /** No format knew a record of the head. */
  unknown?: boolean;
  year: number;
  day: number;
  map: [role: string, field: string][];
  paths: string[];
  /** WebSocket paths that the head has shown. */
  learned: string[];
  group: string;
  line_limit: number;
  /** Records depend on those before them: the input cannot be cut. */
  joined: boolean;
}
