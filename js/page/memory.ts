// What the page remembers between visits: the language and the theme, nothing else, and never a log.

/** Remembers one choice; a browser that refuses simply forgets. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`stormlint-${name}`, value);
  } catch {
    // a private window
  }
}

/** What was remembered, if it is one of the known words. */
export function remembered<T extends string>(name: string, known: readonly T[]): T | undefined {
  try {
    const v = localStorage.getItem(`stormlint-${name}`) as T;
    return known.includes(v) ? v : undefined;
  } catch {
    return undefined;
  }
}
