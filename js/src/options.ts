import { badValue } from "./failure.js";

/** How a log is read and what is made of it. The names are those of the command line's flags, with _ for -. */
export interface AnalyzeOptions {
  /** Format of the log; "auto" looks. Default "auto". */
  format?: string;
  /** The server's own format string, where the format takes one. */
  log_format?: string;
  /** Which field of the log plays which part, as "ROLE=FIELD". */
  map?: string[];
  /** WebSocket endpoints; a trailing * matches any rest. */
  path?: string[];
  /** Zone of stamps that have none, such as "Europe/Berlin". Default UTC. */
  tz?: string;
  /** Groups: ua, path, host, query:KEY or field:NAME. */
  group_by?: string;
  /** What makes two events the same client's. Default "ip". */
  key?: "ip" | "ip+ua" | "conn" | "client";
  /** Proxies whose forwarded-for lists are believed, as CIDR. */
  trusted_proxy?: string[];
  /** Only events from this time on: ISO 8601. */
  since?: string;
  /** Only events before this time: ISO 8601. */
  until?: string;
  /** Attempts a minute from which a client is marked. Default 60. */
  threshold?: number;
  /** Clients in the report. Default 100. */
  top?: number;
  /** All clients in the report. Default false. */
  all?: boolean;
  /** The report of the original prototype, exactly. Default false. */
  compat?: boolean;
  /** What a compat report prints as evaluated_at: ISO 8601. Default now. */
  evaluated_at?: string;
  /** The input's name in the report. */
  name?: string;
  /** Form of a raw answer. Default "json". */
  output?: "json" | "text" | (string & {});
  /** The core takes more options than are listed here; it refuses what it does not know. */
  [option: string]: unknown;
}

/** By what a log is judged that was read. The other options decide what is read. */
export interface JudgeOptions {
  /** Handshakes a second that the server can do. */
  capacity?: number;
  /** Deploys and the like, as "TIME=LABEL". */
  mark?: string[];
  /** Attempts a minute from which a client is marked. Default 60. */
  threshold?: number;
  /** Attempts that a client may make in a day. */
  budget?: number;
  /** Whose close codes 4000 to 4999 are meant. */
  protocol?: string;
  /** "probes": judge health checks like clients. */
  include?: string[];
  /** Clients in the report. Default 100. */
  top?: number;
  /** All clients in the report. Default false. */
  all?: boolean;
}

/** Which of the clients a page shows. */
export interface PageRequest {
  /** attempts, peak, refused, sessions, closes, delays, first or client. Default "attempts". */
  sort?: string;
  ascending?: boolean;
  /** Only clients in whose key or user agents this text occurs. */
  filter?: string;
  /** How many clients to pass over. Default 0. */
  offset?: number;
  /** How many to give. Default 100. */
  n?: number;
}

/** The core's own option object: a zone crosses as a table, because the module knows none. */
export function coreOptions(options: AnalyzeOptions): Record<string, unknown> {
  const { compat, name, tz, evaluated_at, ...rest } = options;
  void name;
  // The seed is a secret, so that nobody can write a log whose clients collide in the table; no report depends on it.
  const seeded = { seed: crypto.getRandomValues(new Uint32Array(1))[0], ...rest };
  if (compat) return { ...seeded, evaluated_at: evaluated_at ?? new Date().toISOString() };
  return tz === undefined ? seeded : { ...seeded, tz: zoneTable(tz) };
}

const hour = 3_600_000;
const first = Date.UTC(1969, 11, 31);
const last = Date.UTC(2101, 0, 1);

/** From which second on which offset holds, by what the platform knows of the zone. */
export function zoneTable(name: string): { name: string; steps: [number, number][] } {
  let clock: Intl.DateTimeFormat;
  try {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: name, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
    });
  } catch {
    throw badValue("analyze", "tz", name, "the name of a zone, such as Europe/Berlin");
  }
  const offset = (at: number): number => {
    const p = Object.fromEntries(clock.formatToParts(at).map((part) => [part.type, Number(part.value)]));
    return (Date.UTC(p.year!, p.month! - 1, p.day!, p.hour!, p.minute!, p.second!) - at) / 1000;
  };
  const steps: [number, number][] = [[first / 1000, offset(first)]];
  const week = 7 * 24 * hour;
  for (let at = first; at < last; at += week) {
    const before = steps[steps.length - 1]![1];
    if (offset(at + week) === before) continue;
    let low = at; // halve down to the second of the change
    let high = at + week;
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    steps.push([high / 1000, offset(high)]);
  }
  return { name, steps };
}
