import { badValue, fromEnvelope, StormlintError } from "./failure.js";
import { Exit, startWasi, type LastWords } from "./wasi.js";

/** The version of the seam, wasm/abi's Number: compared before anything else. */
export const abi = 1;

/** The most bytes that go to the module at once. */
export const piece = 1 << 20;

/** A handle of an open stream in one instance. */
export type Handle = number;

const names = ["reserve", "result_ptr", "result_len", "call", "open", "feed", "state", "merge", "progress", "step", "finish", "page", "series", "client", "close"] as const;
type Export = (typeof names)[number];
const again = 2;

/** Brings a module to life: its exports may be called after it. */
export type Start = (module: WebAssembly.Module, words: LastWords) => { exports: WebAssembly.Exports; memory: WebAssembly.Memory };

// By what a module imports from. The build for Go's own loader is known only to those who import stormlint/gojs.
const starts = new Map<string, Start>([["wasi_snapshot_preview1", startWasi]]);

/** Makes another kind of build known. */
export function know(from: string, start: Start): void {
  starts.set(from, start);
}

/** One running module: bytes in, bytes out. Package wasm/abi describes the exports. */
export class Instance {
  private readonly memory: WebAssembly.Memory;
  private readonly exports: Record<Export, (...numbers: number[]) => number>;
  private readonly words: LastWords;
  private dead = false;

  constructor(module: WebAssembly.Module) {
    this.words = { text: "" };
    const given = WebAssembly.Module.exports(module).map((e) => e.name);
    for (const name of [...names, "abi_version"]) {
      if (!given.includes(name)) throw new StormlintError("mismatch", `the module has no export ${name}: it is no build of stormlint's guest`);
    }
    const from = WebAssembly.Module.imports(module)[0]?.module ?? "nothing";
    const start = starts.get(from);
    if (!start) throw new StormlintError("mismatch", `the module imports from ${from}${from === "gojs" ? ": load it with stormlint/gojs" : ": it is no build of stormlint's guest"}`);
    try {
      const { exports, memory } = start(module, this.words);
      this.memory = memory;
      this.exports = exports as unknown as Record<Export, (...numbers: number[]) => number>;
      const theirs = (exports as unknown as { abi_version(): number }).abi_version();
      if (theirs !== abi) throw new StormlintError("mismatch", `the module speaks abi ${theirs}, this package abi ${abi}`);
    } catch (cause) {
      if (cause instanceof WebAssembly.LinkError) throw new StormlintError("mismatch", `the module cannot be linked: ${cause.message}`, {}, { cause });
      throw this.crash("start", cause);
    }
  }

  /** Whether the instance died. */
  get crashed(): boolean {
    return this.dead;
  }

  private run(name: Export, ...numbers: number[]): number {
    if (this.dead) throw new StormlintError("crashed", "the instance crashed before");
    try {
      return this.exports[name](...numbers) >>> 0;
    } catch (e) {
      throw this.crash(name, e);
    }
  }

  // Of what the module wrote before its end only the first line is told, and only if Go's runtime wrote it: the rest may
  // hold somebody's log.
  private crash(name: string, cause: unknown): StormlintError {
    if (cause instanceof StormlintError) return cause;
    this.dead = true;
    const said = this.words.text.split("\n", 1)[0]!;
    let why = cause instanceof Error ? cause.message : String(cause);
    if (/out of memory|cannot allocate memory/.test(this.words.text)) why = "out of memory";
    else if (/^(panic: runtime error|fatal error): /.test(said)) why = said;
    else if (said.startsWith("panic: ")) why = "panic";
    else if (cause instanceof Exit) why = `exit code ${cause.status}`;
    return new StormlintError("crashed", `the module crashed in ${name}: ${why}`);
  }

  private put(...parts: Uint8Array[]): number {
    const n = parts.reduce((sum, p) => sum + p.length, 0);
    let at = n > 0x7fffffff ? 0 : this.run("reserve", n);
    if (at === 0) throw new StormlintError("too-large", `a request of ${n} bytes is too large`);
    const memory = this.within("reserve", at, n);
    at = 0;
    for (const p of parts) {
      memory.set(p, at);
      at += p.length;
    }
    return n;
  }

  private result(): Uint8Array {
    const at = this.run("result_ptr");
    return this.within("result_ptr", at, this.run("result_len")).slice();
  }

  // A part of the module's memory, whose word on where it lies is not trusted; made anew each time, as growth detaches the
  // old one.
  private within(name: Export, at: number, n: number): Uint8Array {
    const { buffer } = this.memory;
    if (at + n > buffer.byteLength) throw this.crash(name, new RangeError(`${n} bytes at ${at} lie outside its memory of ${buffer.byteLength}`));
    return new Uint8Array(buffer, at, n);
  }

  private answer(name: Export, ...numbers: number[]): Uint8Array {
    if (this.run(name, ...numbers) === 0) return this.result();
    throw fromEnvelope(this.result());
  }

  call(op: string, request: Uint8Array): Uint8Array {
    const name = utf8(op);
    return this.answer("call", name.length, this.put(name, request));
  }

  open(kind: string, request: Uint8Array): Handle {
    const name = utf8(kind);
    const handle = this.run("open", name.length, this.put(name, request));
    if (handle === 0) throw fromEnvelope(this.result());
    return handle;
  }

  /** Feeds a stream and gives what it answers at once, mostly nothing. */
  feed(handle: Handle, bytes: Uint8Array): Uint8Array {
    const answers: Uint8Array[] = [];
    for (let at = 0; at === 0 || at < bytes.length; at += piece) {
      answers.push(this.answer("feed", handle, this.put(bytes.subarray(at, at + piece))));
    }
    return joined(answers);
  }

  state(handle: Handle): Uint8Array {
    return this.answer("state", handle);
  }

  merge(handle: Handle, state: Uint8Array): void {
    for (let at = 0; at === 0 || at < state.length; at += piece) {
      const more = at + piece < state.length ? 1 : 0;
      this.answer("merge", handle, this.put(state.subarray(at, at + piece)), more);
    }
  }

  /** How many records the stream has had, and whether its part could end here. */
  progress(handle: Handle): { records: number; between: boolean } {
    return JSON.parse(new TextDecoder().decode(this.answer("progress", handle))) as { records: number; between: boolean };
  }

  /** Does some of the work that is left, and gives the piece of the answer there is by then; again: there is more to do. */
  step(handle: Handle, budget: number): { piece: Uint8Array; again: boolean } {
    const status = this.run("step", handle, budget);
    if (status !== 0 && status !== again) throw fromEnvelope(this.result());
    return { piece: this.result(), again: status === again };
  }

  /** Does what work is left and gives the answer. */
  finish(handle: Handle): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (let more = true; more; ) {
      const { piece, again } = this.step(handle, 1 << 20);
      pieces.push(piece);
      more = again;
    }
    pieces.push(this.finishNow(handle));
    return joined(pieces);
  }

  /** The answer, or its last piece, when no step is left. */
  finishNow(handle: Handle): Uint8Array {
    return this.answer("finish", handle);
  }

  ask(question: "page" | "series" | "client", handle: Handle, request: Uint8Array): Uint8Array {
    return this.answer(question, handle, this.put(request));
  }

  close(handle: Handle): void {
    if (!this.dead) this.answer("close", handle);
  }
}

const encoder = new TextEncoder();

/** A string's bytes. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A request: one line of JSON, and raw bytes after it where the operation takes them. */
export function request(value: unknown, body?: Uint8Array): Uint8Array {
  return withBody(JSON.stringify(value ?? {}, spelled), body);
}

/** A request's line, and its body behind a line feed. */
export function withBody(line: string, body?: Uint8Array): Uint8Array {
  return body ? joined([utf8(`${line}\n`), body]) : utf8(line);
}

/** JSON has no word for what is no finite number: it would become null, which says that nothing was given. */
function spelled(this: unknown, field: string, value: unknown): unknown {
  if ((typeof value !== "number" || Number.isFinite(value)) && typeof value !== "bigint") return value;
  throw badValue("", field, value, "a finite number");
}

/** Several pieces of bytes as one. */
export function joined(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    whole.set(p, at);
    at += p.length;
  }
  return whole;
}
