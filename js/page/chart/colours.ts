// The colours of pictures are those of the style sheet, in the theme of the moment.

/** Colours by their custom property's name without the dashes. */
export function colours<K extends string>(names: readonly K[]): Record<K, string> {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--${n}`).trim()])) as Record<K, string>;
}
