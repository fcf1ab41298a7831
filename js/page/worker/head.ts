// The beginning of a file, opened where it is compressed, and what kind of file it seems to be.
import { opened, raw } from "../../src/input.js";

/** How much of a file is looked at before it is read. */
const most = 1 << 20;

/** What a file is, by its first bytes: "text", a compression that is read, or something that is no log. */
export type Kind = "text" | "gzip" | "zstd" | "empty" | "image" | "pdf" | "zip" | "xz" | "bzip2" | "7z" | "utf-16" | "program" | "sqlite" | "parquet" | "capture" | "binary";

/** The head of a file. */
export interface Head {
  kind: Kind;
  bytes: Uint8Array;
}

const marks: [Kind, number[]][] = [
  ["gzip", [0x1f, 0x8b]], ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["image", [0x89, 0x50, 0x4e, 0x47]], ["image", [0xff, 0xd8, 0xff]], ["image", [0x47, 0x49, 0x46, 0x38]], ["image", [0x52, 0x49, 0x46, 0x46]],
  ["pdf", [0x25, 0x50, 0x44, 0x46]], ["zip", [0x50, 0x4b, 0x03, 0x04]], ["zip", [0x50, 0x4b, 0x05, 0x06]], ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["bzip2", [0x42, 0x5a, 0x68]], ["7z", [0x37, 0x7a, 0xbc, 0xaf]], ["utf-16", [0xff, 0xfe]], ["utf-16", [0xfe, 0xff]],
  ["program", [0x7f, 0x45, 0x4c, 0x46]], ["program", [0x4d, 0x5a]], ["program", [0, 0x61, 0x73, 0x6d]], ["sqlite", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65]],
  ["parquet", [0x50, 0x41, 0x52, 0x31]], ["capture", [0xd4, 0xc3, 0xb2, 0xa1]], ["capture", [0x0a, 0x0d, 0x0d, 0x0a]],
];

/** The kind of a file by its first bytes. */
export function kindOf(bytes: Uint8Array): Kind {
  if (bytes.length === 0) return "empty";
  for (const [kind, mark] of marks) if (mark.every((b, i) => bytes[i] === b)) return kind;
  const start = bytes.subarray(0, 4096);
  let odd = 0;
  for (const b of start) if (b === 0) odd++;
  if (odd > 0 && odd > start.length / 20) return "binary";
  return blank(bytes) ? "empty" : "text";
}

/** Whether there is nothing to read: blanks, line ends and a byte order mark alone. */
export function blank(bytes: Uint8Array): boolean {
  return bytes.every((b) => b === 32 || b === 9 || b === 10 || b === 13 || b === 0xef || b === 0xbb || b === 0xbf);
}

/** Looks at the beginning of a file. */
export async function head(file: Blob): Promise<Head> {
  const first = new Uint8Array(await file.slice(0, Math.min(file.size, most)).arrayBuffer());
  const kind = kindOf(first);
  if (kind !== "gzip" && kind !== "zstd") return { kind, bytes: first };
  const parts: Uint8Array[] = [];
  let n = 0;
  try {
    for await (const piece of opened(raw(file))) {
      parts.push(piece);
      n += piece.length;
      if (n >= most) break;
    }
  } catch (e) {
    if (n === 0) throw e; // what came before the damage can be looked at
  }
  const bytes = new Uint8Array(Math.min(n, most));
  let at = 0;
  for (const p of parts) {
    const part = p.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return { kind: n === 0 || blank(bytes) ? "empty" : kind, bytes };
}
