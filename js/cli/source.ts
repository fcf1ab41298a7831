import { createReadStream, statSync } from "node:fs";
import { StormlintError, type Code, type Place } from "../src/failure.js";
import { opened } from "../src/input.js";
import { piece } from "../src/instance.js";
import type { Surroundings } from "./verb.js";

/** One input, as the user named it. */
export interface Source {
  /** "-" for standard input. */
  readonly name: string;
  /** Bytes of the file, compressed if it is; 0 where that is not known. */
  readonly size: number;
  /** The bytes as they lie there. */
  readonly raw: () => AsyncIterable<Uint8Array>;
}

/** An error of an input: package, place and what is wrong, as core/fault words it. */
export function fault(code: Code, message: string, place: Place): StormlintError {
  const text = [place.package, place.source, message].filter(Boolean).join(": ");
  return new StormlintError(code, place.expected ? `${text}, expected ${place.expected}` : text, place);
}

/**
 * Checks the names and puts each rotated set (NAME, NAME.1, NAME.2.gz, …) into the order of time, in the place of its
 * first member.
 */
export function resolve(names: readonly string[], around: Surroundings): Source[] {
  const first = new Map<string, number>();
  const files = new Map<string, string>(); // a link, or the same path in other words, would count all of a log twice
  const list = names.map((name, i): Source => {
    if (names.indexOf(name) < i) throw fault("bad-usage", "the same input is named twice", { package: "source", source: name });
    const { base } = rotation(name);
    if (!first.has(base)) first.set(base, i);
    if (name === "-") return { name, size: 0, raw: () => around.stdin! };
    const wrong = (message: string, expected = "") => fault("unreadable", message, { package: "source", source: name, expected });
    try {
      const info = statSync(name, { bigint: true });
      if (info.isDirectory()) throw wrong("this is a folder", `the files in it, ${JSON.stringify(`${name.replace(/\/+$/, "")}/*.log`)} for one`);
      const known = `${info.dev}:${info.ino}`;
      if (info.isFile() && files.has(known)) throw fault("bad-usage", `the same file as ${files.get(known)}`, { package: "source", source: name, expected: "each file once" });
      if (info.isFile()) files.set(known, name);
      return { name, size: info.isFile() ? Number(info.size) : 0, raw: () => createReadStream(name, { highWaterMark: piece }) };
    } catch (error) {
      if (error instanceof StormlintError) throw error;
      throw wrong(because(error) === "no such file or directory" ? "no such file" : because(error));
    }
  });
  const age = (s: Source) => rotation(s.name);
  return list.sort((a, b) => first.get(age(a).base)! - first.get(age(b).base)! || age(b).age - age(a).age);
}

/** Parts access.log.2.gz into access.log and 2; the age of a file that is no older member is 0. */
function rotation(name: string): { base: string; age: number } {
  const plain = name.replace(/\.gz$/, "").replace(/\.zst$/, "");
  const member = /^(.+)\.([+]?\d{1,3})$/s.exec(plain);
  return member && Number(member[2]) > 0 ? { base: member[1]!, age: Number(member[2]) } : { base: plain, age: 0 };
}

/** The system's own words for what went wrong, without the name of the file. */
function because(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = { ENOENT: "no such file or directory", EISDIR: "is a directory", EACCES: "permission denied", ENOTDIR: "not a directory" };
  return known[code ?? ""] ?? String(message).replace(/^[A-Z]+: /, "").replace(/, .*$/s, "");
}

/** An input's bytes, decompressed; `read` is told how many of the raw ones are read. Errors name the input. */
export async function* open(s: Source, read: (bytes: number) => void = () => {}): AsyncGenerator<Uint8Array> {
  try {
    yield* opened(counted(s, read));
  } catch (error) {
    if (!(error instanceof StormlintError)) throw fault("unreadable", because(error), { package: "source", source: s.name });
    throw error.source ? error : fault(error.code, error.message, { package: "source", source: s.name });
  }
}

async function* counted(s: Source, read: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of s.raw()) {
    read(chunk.length);
    yield chunk;
  }
}

/** Reads a small input whole, "-" for standard input. */
export async function readAll(name: string, around: Surroundings): Promise<Uint8Array> {
  const most = 64 << 20;
  const parts: Uint8Array[] = [];
  let n = 0;
  try {
    const from = name === "-" ? (around.stdin ?? []) : createReadStream(name);
    for await (const chunk of from as AsyncIterable<Uint8Array>) {
      parts.push(chunk);
      if ((n += chunk.length) > most) throw fault("too-large", "more than 64 MiB", { source: name, expected: "a small file" });
    }
  } catch (error) {
    if (error instanceof StormlintError) throw error;
    throw new StormlintError("unreadable", `${(error as NodeJS.ErrnoException).code === "EISDIR" ? "read" : "open"} ${name}: ${because(error)}`, { source: name });
  }
  return Buffer.concat(parts);
}

const blanks = new Set(new TextEncoder().encode(" \t\r\n\ufeff"));

/** Whether a piece holds nothing to read: no byte, or blanks, line ends and a byte order mark alone. */
export function blank(chunk: Uint8Array): boolean {
  return chunk.every((byte) => blanks.has(byte));
}

/** The error of an input with nothing in it. */
export class Nothing extends StormlintError {
  constructor(name: string, expected: string) {
    const { message } = fault("unreadable", "the input is empty", { source: name, expected });
    super("unreadable", message, { source: name, expected });
  }
}

/** Puts the input's name into an error that has none but knows the record. */
export function named(error: unknown, name: string): unknown {
  if (!(error instanceof StormlintError) || error.source !== "" || !(error.record > 0 || error.line > 0 || error.code === "unreadable")) return error;
  return withSource(error, name);
}

/** The same error with the input's name behind its package. */
export function withSource(error: StormlintError, name: string): StormlintError {
  const prefix = error.package ? `${error.package}: ` : "";
  const rest = error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
  return new StormlintError(error.code, `${prefix}${name}: ${rest}`, { ...error, source: name }, { cause: error });
}
