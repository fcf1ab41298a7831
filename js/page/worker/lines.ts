// Single lines of a file by their numbers, for the evidence of a finding.
import { opened, raw } from "../../src/input.js";

/** The lines with the given numbers, from 1, each cut to 64 KiB; a number beyond the file's end has none. */
export async function lines(file: Blob, numbers: number[]): Promise<{ number: number; bytes: Uint8Array }[]> {
  const wanted = [...new Set(numbers)].sort((a, b) => a - b);
  const found: { number: number; bytes: Uint8Array }[] = [];
  let number = 1;
  let held: number[] = [];
  const most = 1 << 16;
  for await (const piece of opened(raw(file))) {
    let from = 0;
    while (wanted.length > 0 && from <= piece.length) {
      const end = piece.indexOf(10, from);
      const to = end < 0 ? piece.length : end;
      if (number === wanted[0] && held.length < most) for (const b of piece.subarray(from, Math.min(to, from + most - held.length))) held.push(b);
      if (end < 0) break;
      if (number === wanted[0]) {
        found.push({ number, bytes: Uint8Array.from(held) });
        held = [];
        wanted.shift();
      }
      number++;
      from = end + 1;
    }
    if (wanted.length === 0) return found;
  }
  if (wanted[0] === number && held.length > 0) found.push({ number, bytes: Uint8Array.from(held) });
  return found;
}
