// Figures for people, as core/figure spells them.
import { language } from "./language.js";

const formats = new Map<string, Intl.NumberFormat>();

function format(digits: number): Intl.NumberFormat {
  const key = language() + digits;
  let f = formats.get(key);
  if (!f) formats.set(key, (f = new Intl.NumberFormat(language(), { maximumFractionDigits: digits, roundingMode: "halfEven" } as Intl.NumberFormatOptions)));
  return f;
}

/** A number of things: 1,234,567. */
export function count(n: number): string {
  return format(Number.isInteger(n) ? 0 : 2).format(n);
}

/** Three figures: 1.04, 12.5, 143. */
export function decimal(v: number): string {
  return format(v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2).format(v);
}

/** A share of 0 to 1. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return language() === "ja" ? "1 % 未満" : "under 1 %";
  if (share < 1 && share > 0.99) return language() === "ja" ? "99 % 超" : "over 99 %";
  return `${format(0).format(share * 100)} %`;
}

const units = { en: { s: " s", min: " min", h: " h", days: " days" }, ja: { s: " 秒", min: " 分", h: " 時間", days: " 日" } };

/** A stretch of time in ms: 38 ms, 1.04 s, 2 min 5 s, 3 h 20 min, 4 days. */
export function span(ms: number): string {
  const u = units[language()];
  if (ms < 999.5) return `${decimal(ms)} ms`;
  if (ms < 119_500) return decimal(ms / 1000) + u.s;
  if (ms < 7_200_000) return pair(Math.round(ms / 1000), u.min, u.s);
  if (ms < 48 * 3_600_000) return pair(Math.round(ms / 60_000), u.h, u.min);
  return decimal(ms / 86_400_000) + u.days;
}

function pair(v: number, big: string, little: string): string {
  const rest = v % 60;
  return Math.floor(v / 60) + big + (rest ? ` ${rest}${little}` : "");
}

/** Bytes: 1.2 GB. */
export function bytes(n: number): string {
  if (n < 1000) return `${count(n)} B`;
  for (const [size, unit] of [[1e9, "GB"], [1e6, "MB"]] as const) if (n >= size) return `${decimal(n / size)} ${unit}`;
  return `${decimal(n / 1000)} kB`;
}

/** The clock of an instant in UTC; fine with milliseconds. */
export function clock(at: string | number, fine = false): string {
  return new Date(at).toISOString().slice(11, fine ? 23 : 19);
}

/** The date of an instant in UTC. */
export function day(at: string | number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** A range in UTC, the second date only where it differs. */
export function period(from: string, to: string): string {
  return `${day(from)} ${clock(from)} – ${day(from) === day(to) ? "" : day(to) + " "}${clock(to)} UTC`;
}
