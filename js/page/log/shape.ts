// The parts of a report that js/src leaves open, as core/report writes them.
import type { Arrivals, Client as Row, Finding, Instant, Report, Schedule } from "../../src/report.js";

export type { Arrivals, Finding, Schedule };

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
export interface Drop {
  at: Instant;
  clients: number;
  sessions: number;
  closed_by: string;
  lifetimes_cv: number | null;
  lifetime_ms: number | null;
  not_returned: number | null;
  mark: string | null;
}

/** Clients that share a version, a path, or what was asked for. */
export interface Group {
  group: string;
  clients: number;
  attempts: number;
  share: number;
  refused: number;
  sessions: number;
  clients_by_risk: Record<string, number>;
  schedule: Schedule | null;
  findings: Finding[];
}

/** A client's row. */
export interface Client extends Row {
  aborted: number;
  max_parallel: number;
  events_beyond_limit: number;
  waits: { attempt: number; ms: number }[];
}

/** A whole report. */
export interface Whole extends Omit<Report, "clients" | "groups" | "fleet" | "totals" | "findings"> {
  clients: Client[];
  groups: Group[];
  fleet: {
    waves: Wave[];
    mass_drops: Drop[];
    periodic: { period_ms: number; offset_ms: number; share: number }[];
    capacity_seen: number | null;
    verdict: "herd" | "calm" | "undecided";
  };
  findings: Finding[];
  close_up: Arrivals | null;
  lifetimes: { under_ms: number[]; sessions: number[] };
  marks: { at: Instant; label: string }[];
  totals: {
    clients: number;
    attempts: number;
    sessions: number;
    open_sessions: number;
    refused: number;
    aborted: number;
    closes: number;
    over_threshold: number;
    clients_by_risk: Record<"LOW" | "MEDIUM" | "HIGH" | "CRITICAL", number>;
    duplicates: number;
    outside_range: number;
    nameless: number;
  };
}

/** Lives of one length: a timeout or an age limit ended them. */
export function equalLives(d: Drop): boolean {
  const cv = d.lifetimes_cv;
  return cv !== null && (cv < 0.03 || (cv < 0.1 && cv * (d.lifetime_ms ?? 0) < 2000));
}

/** Lives of many lengths: an event ended them. */
export function unevenLives(d: Drop): boolean {
  return d.lifetimes_cv !== null && d.lifetimes_cv >= 0.2;
}
