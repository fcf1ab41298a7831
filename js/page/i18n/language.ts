// Which language is shown.

/** The languages there are. */
export type Language = "en" | "ja";

/** Each language by its own name. */
export const languages: Record<Language, string> = { en: "English", ja: "日本語" };

let current: Language = "en";

/** The language that is shown. */
export function language(): Language {
  return current;
}

/** Changes it; what is on the screen is drawn anew by the caller. */
export function speak(l: Language): void {
  current = l;
  document.documentElement.lang = l;
}
