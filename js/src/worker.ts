// What a worker does: read its parts of the inputs into streams of one instance of the module, and hold what they know
// until it is wanted. The other side is pool.ts; the two speak in requests, each answered once, and in events between.
import { StormlintError, type Place } from "./failure.js";
import { compression, opened } from "./input.js";
import { Instance, request, type Handle } from "./instance.js";
import { blobFile, chunks, type Ranged } from "./ranged.js";

/** Where an input's bytes are: a Blob (text and bytes are made one), a path, or messages from the other side. */
export type Origin = { blob: Blob } | { path: string } | { piped: true };

/** How a stream is opened; what the core wants to know is in the object as it goes to the core. */
export interface Opening {
  kind: "analyze" | "compat";
  request: { options: Record<string, unknown>; part: { source: number; index: number; name: string }; plan?: unknown; framing?: string };
}

/** What look() finds out about an input before it is read. */
export interface Look {
  size: number;
  compressed: boolean;
  /** Whether it may be cut into parts. */
  splits: boolean;
  /** The plan by which all its parts are read, and the part of it that compat wants. */
  plan?: unknown;
  framing?: string;
}

/** What run() came to. */
export interface Ran {
  records: number;
  /** Whether the part ended between two records: whoever guessed that it would, was right. */
  between: boolean;
  /** Compressed data was damaged or cut off; what came before it stands. */
  damaged?: Thrown;
}

/** The requests, by name. */
export interface Requests {
  start(module: WebAssembly.Module): void;
  look(origin: Origin, opening: Opening, least: number): Look;
  /** The next place at or after an offset where a part may begin; for arrays a guess. The input's size if there is none. */
  cut(origin: Origin, framing: string, at: number): number;
  /** Reads a part into a new stream, which has the task's number from then on. */
  run(task: number, origin: Origin, opening: Opening, from: number, to: number, compressed: boolean): Ran;
  /** Reads on in a stream that is not kept yet. */
  extend(task: number, origin: Origin, from: number, to: number): Ran;
  /** Adds the task's stream to what the worker holds. */
  keep(task: number): void;
  /** Forgets the task's stream. */
  drop(task: number): void;
  /** All that the worker holds, given up. */
  state(): Uint8Array;
  merge(state: Uint8Array): void;
  finish(): Uint8Array;
  ask(question: "page" | "series" | "client", about: unknown): Uint8Array;
}

/** An error as it crosses. */
export interface Thrown extends Place {
  code: string;
  message: string;
  /** Not one of stormlint's own: the cause's name. */
  foreign?: string;
}

/** Messages to a worker. */
export type ToWorker = { id: number; name: keyof Requests; given: unknown[] } | { piped: number; bytes?: Uint8Array; broken?: boolean };

/** Messages from it. */
export type FromWorker =
  | { id: number; answer?: unknown; thrown?: Thrown }
  | { task: number; read: number; records: number } // read: bytes of the file since the last time
  | { wants: number }; // a piped task has room for a piece

/** How the platform carries messages and opens paths. */
export interface Line {
  post(message: FromWorker, transfer?: ArrayBuffer[]): void;
  open(path: string): Promise<Ranged>;
}

const tick = 100; // ms between two events about one task

/** Makes a worker's ear: give it every message that arrives. */
export function worker(line: Line): (message: ToWorker) => void {
  let module: WebAssembly.Module;
  let instance: Instance;
  let held: Handle = 0;
  const streams = new Map<number, Handle>();
  const pipes = new Map<number, Pipe>();

  const open = (origin: Origin): Promise<Ranged> => {
    if ("blob" in origin) return Promise.resolve(blobFile(origin.blob));
    if ("path" in origin) return line.open(origin.path);
    throw new StormlintError("bad-usage", "a stream cannot be read anywhere but where it stands");
  };
  const using = async <T>(origin: Origin, use: (file: Ranged) => Promise<T>): Promise<T> => {
    const file = await open(origin);
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  };

  // feed gives a stream its input and tells how far it is.
  async function feed(task: number, input: AsyncGenerator<Uint8Array>, counter: { read: number }, tolerant: boolean): Promise<Ran> {
    const handle = streams.get(task)!;
    const ran: Ran = { records: 0, between: false };
    let told = 0;
    let last = Date.now();
    const tell = () => {
      ran.records = instance.progress(handle).records;
      line.post({ task, read: counter.read - told, records: ran.records });
      told = counter.read;
      last = Date.now();
    };
    try {
      for (let any = false; ; any = true) {
        const next = await input.next().catch((e: unknown) => {
          if (!tolerant || !any || !(e instanceof StormlintError) || e.code !== "bad-syntax") throw e;
          ran.damaged = thrown(e);
          return { done: true as const, value: undefined };
        });
        if (next.done) break;
        instance.feed(handle, next.value);
        if (Date.now() - last >= tick) tell();
      }
    } finally {
      await input.return(undefined).catch(() => {}); // what was refused is not read on; the first fault is told
    }
    tell();
    ran.between = instance.progress(handle).between;
    return ran;
  }

  const does: { [N in keyof Requests]: (...given: Parameters<Requests[N]>) => Promise<ReturnType<Requests[N]>> } = {
    async start(given) {
      module = given;
      instance = new Instance(module);
    },
    look: (origin, opening, least) => using(origin, (file) => look(file, opening, least, module)),
    cut: (origin, framing, at) =>
      using(origin, async (file) => {
        for (let from = at - 1; from < file.size; ) {
          const window = await file.read(from, Math.min(from + (256 << 10), file.size));
          if (window.length === 0) break;
          const found = (JSON.parse(text(instance.call("boundary", request({ plan: { framing }, at: 1 }, window)))) as { at: number }).at;
          if (found >= 0) return from + found;
          from += Math.max(1, window.length - (framing === "array" ? 1024 : 1)); // what tells a boundary may lie across the end
        }
        return file.size;
      }),
    async run(task, origin, opening, from, to, compressed) {
      streams.set(task, instance.open(opening.kind, request(opening.request)));
      const counter = { read: 0 };
      const tolerant = opening.kind === "analyze"; // the prototype was not
      if ("piped" in origin) {
        const pipe = new Pipe(() => line.post({ wants: task }));
        pipes.set(task, pipe);
        try {
          return await feed(task, opened(counting(pipe.pieces(), counter)), counter, tolerant);
        } finally {
          pipes.delete(task);
        }
      }
      return using(origin, (file) => {
        const bytes = () => counting(chunks(file, from, to), counter);
        return feed(task, compressed ? opened(bytes(), bytes) : bytes(), counter, tolerant);
      });
    },
    extend: (task, origin, from, to) =>
      using(origin, (file) => {
        const counter = { read: 0 };
        return feed(task, counting(chunks(file, from, to), counter), counter, false);
      }),
    async keep(task) {
      const handle = streams.get(task)!;
      if (held === 0) held = handle;
      else {
        instance.merge(held, instance.state(handle));
        instance.close(handle);
      }
      streams.delete(task);
    },
    async drop(task) {
      instance.close(streams.get(task)!);
      streams.delete(task);
    },
    async state() {
      const state = instance.state(held);
      instance.close(held);
      held = 0;
      return state;
    },
    async merge(state) {
      instance.merge(held, state);
    },
    async finish() {
      return instance.finish(held);
    },
    async ask(question, about) {
      return instance.ask(question, held, request(about));
    },
  };

  return (message) => {
    if ("piped" in message) {
      pipes.get(message.piped)?.give(message);
      return;
    }
    const { id, name, given } = message;
    const act = does[name] as (...given: unknown[]) => Promise<unknown>;
    act(...given).then(
      (answer) => line.post({ id, answer }, answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : []),
      (e: unknown) => line.post({ id, thrown: thrown(e) }),
    );
  };
}

// look decides how an input is read, from its head.
async function look(file: Ranged, opening: Opening, least: number, module: WebAssembly.Module): Promise<Look> {
  const { size } = file;
  const first = 1 << 20;
  let head = await file.read(0, Math.min(first, size));
  const compressed = compression(head) !== "";
  if (compressed || size < 2 * least) return { size, compressed, splits: false };
  if (opening.kind === "compat") {
    const start = /^(?:\ufeff)?[ \t\r\n]*([^ \t\r\n])/.exec(new TextDecoder("utf-8", { ignoreBOM: true }).decode(head));
    return { size, compressed, splits: start !== null, framing: start?.[1] === "[" ? "array" : "lines" };
  }
  const scratch = new Instance(module); // its memory grows with the head and goes with it
  const sniff = () => JSON.parse(text(scratch.call("sniff", request(opening.request.options, head)))) as { framing: string };
  const about = (plan: unknown) => JSON.parse(text(scratch.call("plan", request(plan)))) as { splits: boolean; settled: boolean };
  let plan = sniff();
  let facts = about(plan);
  if (!facts.settled && size > first) {
    head = await file.read(0, Math.min(64 << 20, size));
    plan = sniff();
    facts = about(plan);
  }
  return { size, compressed, splits: facts.splits, plan, framing: plan.framing };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

// counting counts what is read; what is read a second time, only as far as it goes beyond the first.
async function* counting(source: AsyncIterable<Uint8Array>, counter: { read: number }): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const piece of source) {
    read += piece.length;
    counter.read = Math.max(counter.read, read);
    yield piece;
  }
}

/** Pieces that arrive as messages; it asks for one more whenever it has room. */
class Pipe {
  private readonly waiting: { bytes?: Uint8Array; broken?: boolean }[] = [];
  private wake: (() => void) | undefined;

  constructor(private readonly want: () => void) {}

  give(piece: { bytes?: Uint8Array; broken?: boolean }): void {
    this.waiting.push(piece);
    this.wake?.();
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 4; i++) this.want();
    for (;;) {
      while (this.waiting.length === 0) await new Promise<void>((wake) => (this.wake = wake));
      const { bytes, broken } = this.waiting.shift()!;
      if (broken) throw new StormlintError("unreadable", "the stream broke"); // its own error is known on the other side
      if (!bytes) return;
      yield bytes;
      this.want();
    }
  }
}

/** An error, ready to cross. */
export function thrown(e: unknown): Thrown {
  if (e instanceof StormlintError) {
    const { code, message, package: from, source, record, line, field, value, expected } = e;
    return { code, message, package: from, source, record, line, field, value, expected };
  }
  const { name, message } = e instanceof Error ? e : { name: "Error", message: String(e) };
  return { code: "unreadable", message, foreign: name };
}
