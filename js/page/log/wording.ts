// The words of a finding in the language shown. English is the core's own; other languages are told from the rule and
// its evidence, because the core writes English.
import { language, t, tidy, type Key } from "../i18n/index.js";
import { clock, count, decimal, percent, span } from "../i18n/figure.js";
import { messages, rules } from "../i18n/rules.ja.js";
import type { Finding } from "../../src/report.js";

/** A sentence: a capital and a full stop. */
export function sentence(text: string): string {
  if (!text) return "";
  const s = text[0]!.toUpperCase() + text.slice(1);
  return /[.。]$/.test(s) ? s : s + ".";
}

/** What was found. */
export function message(f: Finding): string {
  if (language() === "en") return sentence(f.message);
  for (const template of messages[f.rule] ?? []) {
    const filled = template.replace(/\{(\w+)\}/g, (whole, key: string) => (f.evidence[key] === undefined ? whole : figure(key, f.evidence[key])));
    if (!/\{\w+\}/.test(filled)) return tidy(filled);
  }
  return rules[f.rule]?.lesson ?? sentence(f.message);
}

/** What to do about it. */
export function advice(f: Finding): string {
  return language() === "en" ? sentence(f.advice) : (rules[f.rule]?.fix ?? sentence(f.advice));
}

/** Whom it is about. */
export function subject(f: Finding): string {
  if (f.subject === "fleet") return t("subject.fleet");
  const n = /^([\d,]+) clients$/.exec(f.subject);
  return n ? t("subject.clients", { n: Number(n[1]!.replaceAll(",", "")) }) : f.subject;
}

/** A severity. */
export function severity(word: string): string {
  return t(`severity.${word}` as Key);
}

/** A piece of evidence, by what its key says of its unit. */
export function figure(key: string, value: unknown): string {
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (typeof value === "string") return key === "at" || key === "from" || key === "to" ? `${clock(value)} UTC` : value;
  if (typeof value !== "number") return Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
  if (/_ms$/.test(key)) return span(value);
  if (/^(share|spread)(_|$)/.test(key)) return percent(value);
  if (key === "p") return value < 1e-6 ? "< 0.000001" : decimal(value);
  return Number.isInteger(value) ? count(value) : decimal(value);
}

const labels = [
  "clients", "attempts", "gravest", "attempts_per_min", "median_wait_ms", "waits", "policy", "log_odds", "growth", "arrival_spread_ms", "mean_ms", "waves", "peak_per_s", "width_ms", "at",
  "clumping_factor", "p", "answers", "sessions", "lifetimes_cv", "lifetime_ms", "short_sessions", "takeovers", "sessions_at_once", "from", "to", "opens", "usual_per_s", "period_ms", "offset_ms",
  "share", "cycles", "kept", "refusals", "spread", "first_ms", "attempt",
] as const;

/** The name of a piece of evidence. */
export function label(key: string): string {
  if ((labels as readonly string[]).includes(key)) return t(`evidence.${key as (typeof labels)[number]}`);
  return key.replace(/_ms$/, "").replaceAll("_", " ");
}
