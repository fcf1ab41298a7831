// Phrases of the core in Japanese.

/** English to Japanese. */
export const phrases: Record<string, string> = {};
