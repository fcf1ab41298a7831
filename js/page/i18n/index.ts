// Words: every text that the page shows, by key, in one table a language. A test finds keys that one of them lacks.
import { count } from "./figure.js";
import { en, type Key } from "./en.js";
import { ja } from "./ja.js";
import { language, type Language } from "./language.js";

export { language, languages, speak, type Language } from "./language.js";
export type { Key };

const tables: Record<Language, Record<Key, string>> = { en, ja };

/** What fills the braces of a text: numbers are spelled as the language does. */
export type Values = Record<string, string | number>;

/**
 * A text by its key. {n} is a value; {n|client|clients} the word that goes with that number, in languages that have
 * two.
 */
export function t(key: Key, values: Values = {}): string {
  return tidy(tables[language()][key].replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const v = values[name];
    if (v === undefined) return whole;
    if (one !== undefined) return v === 1 ? one : many!;
    return typeof v === "number" ? count(v) : v;
  }));
}

/** Takes away the blank that a Japanese unit leaves before a Japanese word. */
export function tidy(text: string): string {
  return language() === "ja" ? text.replace(/(秒|分|時間|日) (?=[\u3040-\u30ff\u4e00-\u9fff])/g, "$1") : text;
}
