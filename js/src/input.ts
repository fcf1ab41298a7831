import { badValue, type StormlintError } from "./failure.js";
import { gunzip } from "./gzip.js";
import { joined, utf8 } from "./instance.js";
import { blobFile, chunks } from "./ranged.js";
import { unzstd } from "./zstd.js";

/** What can be analysed: bytes, text, a Blob or File, a web stream, a Node stream, or any (async) iterable of bytes or text. */
export type Input =
  | Uint8Array
  | ArrayBuffer
  | string
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array>;

const readable = "bytes, text, a Blob or a stream";

/** Whether the input is at hand as a whole. */
export function atHand(input: Input): input is Uint8Array | ArrayBuffer | string {
  return typeof input === "string" || input instanceof Uint8Array || input instanceof ArrayBuffer;
}

/** The bytes of an input at hand, without a copy where they are bytes already. */
export function whole(input: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof input === "string") return utf8(input);
  return input instanceof Uint8Array ? input : new Uint8Array(input);
}

/** Opens what is compressed: its first bytes decide. again opens the same input anew, where that can be done. */
export async function* opened(source: AsyncGenerator<Uint8Array>, again?: () => AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const head: Uint8Array[] = [];
  let n = 0;
  while (n < 4) {
    const next = await source.next();
    if (next.done) break;
    head.push(next.value);
    n += next.value.length;
  }
  const first = joined(head);
  const whole = after(first, source);
  const kind = compression(first);
  yield* kind === "gzip" ? gunzip(whole, again) : kind === "zstd" ? unzstd(whole) : whole;
}

/** An input's bytes, piece by piece, opened where it is compressed. */
export function pieces(input: Input): AsyncGenerator<Uint8Array> {
  return opened(raw(input));
}

/** How an input that begins like this is compressed. */
export function compression(head: Uint8Array): "gzip" | "zstd" | "" {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  const [a, b, c, d] = head;
  if (a! >>> 4 === 5 && b === 0x2a && c === 0x4d && d === 0x18) return "zstd"; // a frame to be skipped comes first: pzstd
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? "zstd" : "";
}

/**
 * The input piece by piece, as it is.
 *
 * @param stop lets go of a stream at once, even while it gives nothing; of an iterable's, who asks for no more lets go
 */
export async function* raw(input: Input, stop?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (typeof input !== "string" && (typeof input !== "object" || input === null)) {
    throw badValue("", "input", typeof input, readable);
  }
  if (atHand(input)) {
    yield whole(input);
  } else if (typeof Blob !== "undefined" && input instanceof Blob) {
    yield* chunks(blobFile(input));
  } else if (typeof (input as ReadableStream).getReader === "function") {
    const reader = (input as ReadableStream<Uint8Array>).getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    stop?.addEventListener("abort", cancel);
    try {
      for (let r = await reader.read(); !r.done; r = await reader.read()) yield bytes(r.value);
    } finally {
      stop?.removeEventListener("abort", cancel);
      await reader.cancel().catch(() => {}); // nothing to do at the end; before it, a download stops
      reader.releaseLock();
    }
  } else if (Symbol.asyncIterator in input || Symbol.iterator in input) {
    const destroy = () => (input as { destroy?(): void }).destroy?.(); // a Node stream
    stop?.addEventListener("abort", destroy);
    try {
      for await (const chunk of input as AsyncIterable<Uint8Array | string>) yield bytes(chunk);
    } finally {
      stop?.removeEventListener("abort", destroy);
    }
  } else {
    throw unreadable(input);
  }
}

/** The fault of an input that is nothing that can be read. */
export function unreadable(input: unknown): StormlintError {
  return badValue("", "input", Object.prototype.toString.call(input), readable);
}

function bytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return utf8(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw badValue("", "a piece of the stream", Object.prototype.toString.call(chunk), "bytes or text");
}

async function* after(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
