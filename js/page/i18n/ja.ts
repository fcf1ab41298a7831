// Japanese.
import { en, type Key } from "./en.js";

/** Every text of the page. */
export const ja: Record<Key, string> = en;
