/**
 * The wait that a server asks for. A browser shows neither the status nor the headers of a refused handshake, so a hint
 * can only travel in a close frame: code 1013 (Try Again Later) or another, with a reason such as
 *
 *     retry-after=12        twelve seconds
 *     retry-after=12.5s
 *     retry_after_ms: 12500
 *     {"retry_after_ms":12500}
 */

const pattern = /retry[-_ ]?after([-_ ]?ms)?["']?\s*[:=]?\s*(\d+(?:\.\d+)?)\s*(ms|s)?/i;

/** Reads the hint from a close reason: ms, or undefined where there is none. Plain numbers are seconds. */
export function readHint(reason: string): number | undefined {
  const found = pattern.exec(reason);
  if (!found) return undefined;
  const value = Number(found[2]);
  const ms = found[1] || found[3]?.toLowerCase() === "ms" ? value : value * 1000;
  return Number.isFinite(ms) ? ms : undefined;
}
