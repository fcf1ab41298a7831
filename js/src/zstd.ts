import { Decompress } from "fzstd";

import { StormlintError } from "./failure.js";
import { joined } from "./instance.js";

/** The largest window that is accepted, as on the command line: a hostile header could ask for gigabytes. */
const largestWindow = 128 << 20;

/** Enough of a frame to hold its header. */
const header = 18;

/**
 * Opens zstd, of any number of frames, as it arrives. The decoder is fzstd, bundled; checksums inside the data are passed
 * over, and dictionaries are not known.
 */
export async function* unzstd(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let out: Uint8Array[] = [];
  let read = 0;
  let head: Uint8Array | undefined = new Uint8Array();
  const z = new Decompress((bytes) => void out.push(bytes));
  const push = (chunk: Uint8Array, last: boolean): StormlintError | undefined => {
    try {
      if (head) check(chunk);
      z.push(chunk, last);
      return undefined;
    } catch (cause) {
      if (cause instanceof StormlintError) return cause;
      const cut = (cause as { code?: number }).code === 5; // fzstd's number for an early end
      return new StormlintError("bad-syntax", cut ? `zstd data is cut off after ${read} bytes` : `damaged zstd data near byte ${read}`, {}, { cause });
    }
  };
  for await (const chunk of source) {
    read += chunk.length;
    let next = chunk;
    if (head) {
      next = joined([head, chunk]);
      if (next.length < header) {
        head = next;
        continue;
      }
    }
    const wrong = push(next, false);
    head = undefined;
    yield* out; // what came before the damage, too
    if (wrong) throw wrong;
    out = [];
  }
  const wrong = push(head ?? new Uint8Array(), true);
  yield* out;
  if (wrong) throw wrong;
}

// check refuses a frame that asks for too much memory.
function check(head: Uint8Array): void {
  const flags = head[4] ?? 0;
  const single = flags & 32; // no window: all of the content is one
  const skip = 5 + [0, 1, 2, 4][flags & 3]!;
  let size = 2 ** (10 + (head[5]! >> 3)) * (1 + (head[5]! & 7) / 8);
  if (single) {
    size = 0;
    for (let i = (1 << (flags >> 6)) - 1; i >= 0; i--) size = size * 256 + (head[skip + i] ?? 0);
  }
  if (size > largestWindow) throw new StormlintError("unsupported", `zstd data wants ${Math.round(size / 2 ** 20)} MiB of memory; at most 128 MiB are given`);
}
