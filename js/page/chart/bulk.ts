// Where nearly all of a log lies: one line that is dated 1970 must not make everything else a single bar.
import type { Level } from "./levels.js";

/** How much emptier than long a gap must be for what lies beyond it to be left out. */
const far = 10;

/** The stretch of a level between two instants that holds at least 99 of 100 events, and how many lie outside: those that
 * are few and far off. Undefined where nothing happened. */
export function bulk(l: Level, from: number, to: number): { from: number; to: number; outside: number } | undefined {
  const first = Math.max(0, Math.floor((from - l.from) / l.bin));
  const last = Math.min(l.attempts.length, Math.ceil((to - l.from) / l.bin));
  const filled: { at: number; n: number }[] = [];
  let all = 0;
  for (let at = first; at < last; at++) {
    const n = l.attempts[at]! + l.closes[at]!;
    if (n > 0) filled.push({ at, n });
    all += n;
  }
  let spare = all < 10 ? 0 : Math.max(1, Math.floor(all / 100));
  let [a, b] = [0, filled.length - 1];
  let outside = 0;
  for (let again = true; again && a < b; ) {
    again = false;
    for (const forward of [true, false]) {
      let n = 0;
      for (let i = 0; a + i < b; i++) {
        const [out, next] = forward ? [filled[a + i]!, filled[a + i + 1]!] : [filled[b - i]!, filled[b - i - 1]!];
        if ((n += out.n) > spare) break;
        const rest = (forward ? filled[b]!.at - next.at : next.at - filled[a]!.at) + 1;
        if (Math.abs(next.at - out.at) - 1 < far * rest) continue;
        if (forward) a += i + 1;
        else b -= i + 1;
        [spare, outside, again] = [spare - n, outside + n, true];
        break;
      }
    }
  }
  if (all === 0) return undefined;
  return { from: l.from + filled[a]!.at * l.bin, to: l.from + (filled[b]!.at + 1) * l.bin, outside };
}
