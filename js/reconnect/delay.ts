/**
 * How long to wait before an attempt. Both rules are the ones that stormlint's linter and simulator know by the same
 * names: `full:BASE:CAP[:FACTOR]` and `window:W`.
 */

/** The largest delay that a JavaScript timer keeps: 2³¹ − 1 ms, about 24.8 days. A longer one fires at once. */
export const timerLimit = 2 ** 31 - 1;

/**
 * Full jitter: a delay drawn evenly from 0 up to a ceiling that doubles with every attempt and never passes the cap.
 *
 * | attempt | ceiling with base 1 s, cap 30 s | mean |
 * |--------:|--------------------------------:|-----:|
 * | 1 | 1 s | 0.5 s |
 * | 2 | 2 s | 1 s |
 * | 5 | 16 s | 8 s |
 * | 6 and later | 30 s | 15 s |
 *
 * @param attempt counted from 1; values below 1 count as 1, any size is right (no overflow)
 * @param base the first ceiling in ms
 * @param cap the largest ceiling in ms
 * @param random uniform in [0, 1); Math.random unless given
 * @returns ms, at least 0 and below min(cap, base · 2^(attempt − 1))
 */
export function fullJitterDelay(attempt: number, base: number, cap: number, random: () => number = Math.random): number {
  return random() * ceiling(attempt, base, cap, 2);
}

/** The ceiling min(cap, base · factor^(attempt − 1)) in ms: grows without overflowing, and stays within the timer's limit. */
export function ceiling(attempt: number, base: number, cap: number, factor: number): number {
  const grown = base * factor ** Math.min(Math.max(attempt, 1) - 1, 1023);
  return Math.min(grown, cap, timerLimit); // Infinity at most, never NaN: base > 0
}

/**
 * The window policy, `window:W`: the first wait spreads the clients over the whole window; after a refusal every client
 * waits exactly W, so that the spread stays even; after a timeout the wait is U(½, 1) · w with w doubling from W to 4 W,
 * so that a queue of clients that have already left cannot lock.
 *
 * @param state what the wait follows: the attempt counted from 1, and how many attempts of this episode timed out
 */
export function windowDelay(
  window: number,
  state: { attempt: number; timedOut: boolean; timeouts: number },
  random: () => number,
): number {
  if (state.attempt <= 1) return Math.min(random() * window, timerLimit);
  if (!state.timedOut) return Math.min(window, timerLimit);
  const w = window * Math.min(2 ** Math.max(state.timeouts - 1, 0), 4);
  return Math.min(w * (0.5 + 0.5 * random()), timerLimit);
}
