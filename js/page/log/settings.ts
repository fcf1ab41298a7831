// How a log is read and judged: what the form holds, and the core's options made of it.
import { zoneTable, type JudgeOptions } from "../../src/options.js";

/** The form's fields as they are typed; "" is the default. Lists are separated by commas or lines. */
export interface Settings {
  format: string;
  log_format: string;
  map: string;
  path: string;
  tz: string;
  group_by: string;
  key: string;
  trusted_proxy: string;
  since: string;
  until: string;
  capacity: string;
  threshold: string;
  budget: string;
  protocol: string;
  mark: string;
  probes: boolean;
}

/** Everything at its default. */
export const none: Settings = {
  format: "", log_format: "", map: "", path: "", tz: "", group_by: "", key: "", trusted_proxy: "", since: "", until: "", capacity: "", threshold: "",
  budget: "", protocol: "", mark: "", probes: false,
};

/** The options of reading alone, for a look at the first lines. */
export function readingOptions(s: Settings): Record<string, unknown> {
  const o: Record<string, unknown> = { format: s.format || "auto", day: Math.floor(Date.now() / 86_400_000) };
  if (s.log_format.trim()) o.log_format = s.log_format.trim();
  if (s.group_by.trim()) o.group_by = s.group_by.trim();
  for (const name of ["map", "path"] as const) if (list(s[name]).length > 0) o[name] = list(s[name]);
  if (s.tz.trim()) o.tz = zoneTable(s.tz.trim());
  return o;
}

/** The core's options: those that the command line makes of the same flags. */
export function coreOptions(s: Settings): Record<string, unknown> {
  const o: Record<string, unknown> = { ...readingOptions(s), key: s.key || "ip" };
  if (s.tz.trim()) o.tz = s.tz.trim(); // becomes a table in js/src
  if (list(s.trusted_proxy).length > 0) o.trusted_proxy = list(s.trusted_proxy);
  for (const name of ["since", "until"] as const) if (s[name].trim()) o[name] = s[name].trim();
  return { ...o, ...judging(s) };
}

/** The options by which what was read is judged: where only these change, nothing has to be read again. */
export function judging(s: Settings): JudgeOptions {
  const o: Record<string, unknown> = {};
  if (lines(s.mark).length > 0) o.mark = lines(s.mark);
  if (s.protocol.trim()) o.protocol = s.protocol.trim();
  for (const name of ["capacity", "threshold", "budget"] as const) {
    const text = s[name].trim();
    if (text) o[name] = Number.isFinite(Number(text)) ? Number(text) : text; // what is no number is the core's to refuse
  }
  if (s.probes) o.include = ["probes"];
  return o;
}

/** Whether two settings read a log alike, and at most judge it differently. */
export function readAlike(a: Settings, b: Settings): boolean {
  const reading = (s: Settings) => JSON.stringify({ ...s, mark: "", protocol: "", capacity: "", threshold: "", budget: "", probes: false });
  return reading(a) === reading(b);
}

/** The same settings as flags of the command line, for those who want to go on there. */
export function flags(s: Settings): string {
  const out: string[] = [];
  const one = (flag: string, v: string) => out.push(`--${flag} ${/^[\w./:,=+*-]+$/.test(v) ? v : `'${v.replaceAll("'", `'\\''`)}'`}`);
  for (const name of ["format", "log_format", "tz", "group_by", "key", "since", "until", "capacity", "threshold", "protocol"] as const) {
    if (s[name].trim()) one(name.replace("_", "-"), s[name].trim());
  }
  if (s.budget.trim()) one("budget", `${s.budget.trim()}/day`);
  for (const name of ["map", "path", "trusted_proxy"] as const) for (const v of list(s[name])) one(name.replace("_", "-"), v);
  for (const v of lines(s.mark)) one("mark", v);
  if (s.probes) one("include", "probes");
  return out.join(" ");
}

function list(text: string): string[] {
  return text.split(/[\n,]/).map((w) => w.trim()).filter(Boolean);
}

function lines(text: string): string[] {
  return text.split("\n").map((w) => w.trim()).filter(Boolean);
}
