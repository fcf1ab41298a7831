import { Inflate } from "fflate";

import { StormlintError } from "./failure.js";
import { joined } from "./instance.js";

/**
 * Opens gzip. The platform's DecompressionStream does it, beside the reading; but platforms differ in what they make of
 * several members, of padding and of damage, and drop what they had already opened. So where it fails, the input is opened
 * again from its beginning, carefully, and what was given already is passed over.
 *
 * @param again opens the input anew; without it the careful way is taken at once
 */
export async function* gunzip(source: AsyncGenerator<Uint8Array>, again?: () => AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!again) return yield* carefully(source);
  let given = 0;
  let inside = false; // a failure of the one who takes the pieces is not ours
  let broke: { cause: unknown } | undefined; // the source failed, not what it holds
  const watched = (async function* () {
    try {
      yield* source;
    } catch (cause) {
      broke = { cause };
      throw cause;
    }
  })();
  try {
    for await (const piece of quickly(watched)) {
      given += piece.length;
      inside = true;
      yield piece;
      inside = false;
    }
    return;
  } catch (e) {
    if (broke) throw broke.cause;
    if (inside || !(e instanceof Failed)) throw e instanceof Failed ? e.cause : e;
  }
  for await (const piece of carefully(again())) {
    const rest = piece.subarray(Math.min(given, piece.length));
    given -= piece.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

/** The platform's decoder failed, or the source did. */
class Failed extends Error {}

async function* quickly(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const z = new DecompressionStream("gzip");
  const writer = z.writable.getWriter();
  const writing = (async () => {
    for await (const chunk of source) await writer.write(chunk as Uint8Array<ArrayBuffer>);
    await writer.close();
  })();
  writing.catch((e: unknown) => writer.abort(e).catch(() => {})); // told by the reading side, which would wait for ever otherwise
  const reader = z.readable.getReader();
  const read = () => reader.read().catch((cause: unknown) => {
    throw new Failed("gzip", { cause });
  });
  try {
    for (let r = await read(); !r.done; r = await read()) yield r.value;
    await writing.catch((cause: unknown) => {
      throw new Failed("gzip", { cause });
    });
  } finally {
    await reader.cancel().catch(() => {}); // who stops early lets go of the source, too
  }
}

// What fflate 0.8.3 keeps of a stream in work: the input it has not used, and the bit in its first byte where it stands; the
// last block is done when f is set and l is not. There is no public way to see where compressed data ends, so the version
// is fixed and the tests hold it to this.
interface Inner {
  p: Uint8Array;
  s: { p?: number; f?: number; l?: unknown };
}

/** Opens any number of members; zeros behind one are the padding of a tape or a disk. Checks sums and lengths. */
async function* carefully(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  let read = 0;
  const more = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done) return false;
    read += next.value.length;
    rest = rest.length === 0 ? next.value : joined([rest, next.value]);
    return true;
  };
  const wrong = (message: string, cause?: unknown) => new StormlintError("bad-syntax", message, {}, { cause });
  const damaged = (cause?: unknown) => wrong(`damaged gzip data near byte ${read - rest.length}`, cause);
  const need = async (n: number): Promise<void> => {
    while (rest.length < n) if (!(await more())) throw wrong(`gzip data is cut off after ${read} bytes`);
  };
  try {
    for (let first = true; ; first = false) {
      while (!first && (rest.length > 0 || (await more()))) {
        const n = rest.findIndex((byte) => byte !== 0);
        rest = rest.subarray(n < 0 ? rest.length : n);
        if (n >= 0) break;
      }
      if (!first) {
        while (rest.length < 2 && (await more()));
        if (rest.length === 0) return;
        if (rest[0] !== 0x1f || rest[1] !== 0x8b) throw wrong(`what follows the gzip data from byte ${read - rest.length} on is no gzip`);
      }
      await header();
      yield* member();
    }
  } finally {
    await source.return(undefined);
  }

  async function header(): Promise<void> {
    await need(10);
    if (rest[2] !== 8 || rest[3]! & 0xe0) throw damaged();
    const flags = rest[3]!;
    let at = 10;
    if (flags & 4) {
      await need(at + 2);
      at += 2 + rest[at]! + rest[at + 1]! * 256;
    }
    for (const text of [8, 16]) {
      if (!(flags & text)) continue;
      do await need(++at);
      while (rest[at - 1] !== 0);
    }
    if (flags & 2) at += 2;
    await need(at);
    rest = rest.subarray(at);
  }

  async function* member(): AsyncGenerator<Uint8Array> {
    let out: Uint8Array[] = [];
    let sum = 0xffffffff;
    let size = 0;
    const z = new Inflate((bytes) => void out.push(bytes));
    for (;;) {
      await need(1);
      const used = rest;
      rest = rest.subarray(rest.length);
      let failure: unknown;
      try {
        z.push(used);
      } catch (cause) {
        failure = cause;
      }
      for (const bytes of out) {
        sum = crc32(sum, bytes);
        size = (size + bytes.length) >>> 0;
        if (bytes.length > 0) yield bytes;
      }
      out = [];
      if (failure) throw damaged(failure);
      const { s, p } = z as unknown as Inner;
      if (s.f && !s.l) {
        rest = p.subarray(s.p ? 1 : 0);
        break;
      }
    }
    await need(8);
    const view = new DataView(rest.buffer, rest.byteOffset);
    if (view.getUint32(0, true) !== ~sum >>> 0 || view.getUint32(4, true) !== size) throw damaged();
    rest = rest.subarray(8);
  }
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});

function crc32(sum: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ table[(sum ^ bytes[i]!) & 255]!;
  return sum;
}
