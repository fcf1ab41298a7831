// The linter's rules in Japanese: title, lesson and remedy, and what a finding says of its evidence.

/** A rule's words. */
export const rules: Record<string, { title: string; lesson: string; fix: string }> = {};

/** A finding's sentence, from its evidence: {key} is a figure. */
export const messages: Record<string, string> = {};
