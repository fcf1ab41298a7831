// Phrases that the core writes in English and that are few: blind spots, reasons, events, cases. In another language they
// are looked up; one that is not known stays English, as what the core said.
import { language } from "./language.js";
import { patterns, phrases } from "./phrases.ja.js";

/** A phrase of the core in the language shown. */
export function phrase(text: string): string {
  if (language() === "en") return text.replaceAll("_", " ");
  const whole = known(text);
  if (whole) return whole;
  // "nginx access log: a line is written …": the name before the colon stays.
  for (let at = text.indexOf(": "); at > 0; at = text.indexOf(": ", at + 1)) {
    const rest = known(text.slice(at + 2));
    if (rest) return `${phrases[text.slice(0, at)] ?? text.slice(0, at)}：${rest}`;
  }
  return text;
}

function known(text: string): string | undefined {
  if (Object.hasOwn(phrases, text)) return phrases[text];
  const p = patterns.find(([pattern]) => pattern.test(text));
  return p && text.replace(p[0], p[1]);
}
