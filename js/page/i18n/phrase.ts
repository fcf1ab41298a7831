// Phrases that the core writes in English and that are few: blind spots, reasons, events, cases. In another language they
// are looked up; one that is not known stays English, as what the core said.
import { language } from "./index.js";
import { phrases } from "./phrases.ja.js";

/** A phrase of the core in the language shown. */
export function phrase(text: string): string {
  if (language() === "en") return text.replaceAll("_", " ");
  const whole = phrases[text];
  if (whole) return whole;
  // "nginx access log: a line is written …": the format's name stays.
  const at = text.indexOf(": ");
  const rest = at > 0 ? phrases[text.slice(at + 2)] : undefined;
  return rest ? `${text.slice(0, at)}：${rest}` : text;
}
