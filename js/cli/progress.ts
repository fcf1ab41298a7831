import type { Surroundings } from "./verb.js";

/** The size from which progress is worth a line. */
const noticeable = 32 << 20;

/** A line on standard error that says how far a long work is, if that is a screen. */
export function progress(around: Surroundings, doing: string, total: number): { add: (n: number) => void; end: () => void } {
  if (!around.screen || total < noticeable) return { add: () => {}, end: () => {} };
  let done = 0;
  let shown = -1;
  return {
    add: (n) => {
      const percent = Math.floor((100 * (done += n)) / total);
      if (percent !== shown) around.stderr(`\r${doing} ${(shown = percent)} %`);
    },
    end: () => around.stderr("\r\x1b[K"),
  };
}
