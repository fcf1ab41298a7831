import { Decompress } from "fzstd";

import { StormlintError } from "./failure.js";
import { joined } from "./instance.js";

/** The largest window that is accepted of any frame, as on the command line: a hostile header could ask for gigabytes. */
const largestWindow = 128 << 20;

/**
 * Opens zstd, of any number of frames, as it arrives. The decoder is fzstd, bundled; checksums inside the data are passed
 * over, and dictionaries are not known.
 */
export async function* unzstd(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let out: Uint8Array[] = [];
  let read = 0;
  const frames = new Frames();
  const z = new Decompress((bytes) => void out.push(bytes));
  const push = (chunk: Uint8Array, last: boolean): StormlintError | undefined => {
    try {
      frames.pass(chunk);
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
    const wrong = push(chunk, false);
    yield* out; // what came before the damage, too
    if (wrong) throw wrong;
    out = [];
  }
  const wrong = push(new Uint8Array(), true);
  yield* out;
  if (wrong) throw wrong;
}

/** What comes next in zstd data (RFC 8878): the head of a frame, of one that is passed over, of a block, or bytes of no interest. */
type Next = "frame" | "block" | "lost";

/** Walks along the frames, a step before the decoder, and refuses one that asks for too much memory before it is given. */
class Frames {
  private held = new Uint8Array(); // the beginning of a head that has not come whole
  private next: Next = "frame";
  private skip = 0;
  private sum = 0; // bytes behind the last block

  /** Looks at the next bytes. */
  pass(chunk: Uint8Array): void {
    let bytes = this.held.length > 0 ? joined([this.held, chunk]) : chunk;
    for (let used = 0; this.next !== "lost"; ) {
      const over = Math.min(this.skip, bytes.length);
      bytes = bytes.subarray(over);
      this.skip -= over;
      if (bytes.length === 0) break;
      used = this.next === "frame" ? this.frame(bytes) : this.block(bytes);
      if (used === 0) break; // more is needed
      bytes = bytes.subarray(used);
    }
    this.held = this.next === "lost" ? new Uint8Array() : bytes.slice();
  }

  // A frame's head: its magic number, flags, and as many bytes as they say; the window is one of 2^10 to 1.875 * 2^41 bytes.
  private frame(b: Uint8Array): number {
    if (b.length < 8) return 0; // no frame is shorter
    const view = new DataView(b.buffer, b.byteOffset);
    const magic = view.getUint32(0, true);
    if (magic >>> 4 === 0x184d2a5) {
      this.skip = view.getUint32(4, true);
      return 8;
    }
    const flags = b[4]!;
    const single = (flags & 32) !== 0; // no window: all of the content is one
    const at = 5 + (single ? 0 : 1) + [0, 1, 2, 4][flags & 3]!;
    const wide = flags >> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >> 6);
    if (magic !== 0xfd2fb528) this.next = "lost"; // the decoder says so
    if (magic !== 0xfd2fb528 || b.length < at + wide) return 0;
    let size = 2 ** (10 + (b[5]! >> 3)) * (1 + (b[5]! & 7) / 8);
    if (single) {
      size = wide === 2 ? 256 : 0;
      for (let i = wide - 1, unit = 256 ** i; i >= 0; i--, unit /= 256) size += b[at + i]! * unit;
    }
    if (size > largestWindow) throw new StormlintError("unsupported", `zstd data wants ${Math.round(size / 2 ** 20)} MiB of memory; at most 128 MiB are given`);
    this.sum = flags & 4 ? 4 : 0;
    this.next = "block";
    return at + wide;
  }

  // A block's head: three bytes with "last", a kind and a size.
  private block(b: Uint8Array): number {
    if (b.length < 3) return 0;
    const head = b[0]! | (b[1]! << 8) | (b[2]! << 16);
    const kind = (head >> 1) & 3;
    this.skip = kind === 1 ? 1 : head >> 3; // a repeated byte stands once
    if (kind === 3) this.next = "lost";
    if (head & 1) {
      this.skip += this.sum;
      this.next = "frame";
    }
    return 3;
  }
}
