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
  closes: number;
  /** Attempts in the busiest 60 s. */
  peak_per_min: number;
  over_threshold: boolean;
  lifetimes: { n: number; mean_ms: number | null; cv: number | null };
  delays: { n: number; mean_ms: number | null; sd_ms: number | null; cv: number | null; min_ms: number | null; max_ms: number | null };
  schedule?: Schedule;
  /** null: undecided. */
  has_jitter: boolean | null;
  risk_level?: Risk;
  findings?: Finding[];
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
  groups?: Record<string, unknown>[];
  fleet?: Record<string, unknown>;
  arrivals: Arrivals;
  findings?: Finding[];
  warnings: string[];
  totals: Record<string, unknown>;
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

export interface LintResult {
  policy?: string;
  findings: Finding[];
  envelope: { attempt: number; min_ms: number; mean_ms: number; max_ms: number; spread: number; arrival_spread_ms: number; point_mass: number }[];
  [more: string]: unknown;
}
