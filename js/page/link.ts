// A link that keeps settings, never data: the fragment of the address, which no server is ever sent.
import type { Language } from "./i18n/index.js";
import { none, type Settings } from "./log/settings.js";

/** What a link can say. */
export interface Linked {
  view: "log" | "bench";
  language: Language | undefined;
  settings: Settings;
  bench: { policies: string[]; clients: number; capacity: number };
}

const texts = ["format", "log_format", "map", "path", "tz", "group_by", "key", "trusted_proxy", "since", "until", "protocol", "mark"] as const;
const numbers = ["capacity", "threshold", "budget"] as const;

/** Reads the fragment of an address; what it does not know is passed over. */
export function readLink(hash: string): Linked {
  const q = new URLSearchParams(hash.replace(/^#/, ""));
  const settings: Settings = { ...none };
  for (const name of texts) settings[name] = (q.get(name) ?? "").slice(0, 2000);
  for (const name of numbers) settings[name] = positive(q.get(name))?.toString() ?? "";
  settings.probes = q.get("include") === "probes";
  const lang = q.get("lang");
  return {
    view: q.has("workbench") ? "bench" : "log",
    language: lang === "en" || lang === "ja" ? lang : undefined,
    settings,
    bench: { policies: q.getAll("policy").slice(0, 4).map((p) => p.slice(0, 500)), clients: positive(q.get("clients")) ?? 5000, capacity: positive(q.get("rate")) ?? 100 },
  };
}

function positive(text: string | null): number | undefined {
  const v = Number(text);
  return text && v > 0 && v <= 1e9 ? v : undefined;
}

/** The address of the page with the settings of a log. */
export function settingsLink(s: Settings): string {
  const q = new URLSearchParams();
  for (const name of [...texts, ...numbers]) if (s[name]) q.set(name, s[name]);
  if (s.probes) q.set("include", "probes");
  return address(q);
}

/** The address of the page with a question to the workbench. */
export function benchLink(policies: string[], clients: number, capacity: number): string {
  const q = new URLSearchParams({ workbench: "" });
  for (const p of policies) q.append("policy", p);
  q.set("clients", String(clients));
  q.set("rate", String(capacity));
  return address(q);
}

function address(q: URLSearchParams): string {
  const text = q.toString();
  return location.href.replace(/#.*$/, "") + (text ? `#${text}` : "");
}
