// Many inputs, many workers, one report: large files are cut into parts at record boundaries, every worker reads its parts
// by itself, and what they know is merged in one of them, which then answers questions.
import { parse } from "./analyzer.js";
import { back, Mate, type Platform } from "./crew.js";
import { badValue, StormlintError } from "./failure.js";
import { atHand, raw, whole, type Input, unreadable } from "./input.js";
import { coreOptions, type AnalyzeOptions, type JudgeOptions, type PageRequest } from "./options.js";
import type { Arrivals, Client, CompatReport, Report } from "./report.js";
import type { Look, Opening, Origin, Ran } from "./worker.js";

/** An input with the name that it has in the report; alone, a File has its own, and a path too. */
export interface NamedInput {
  /** Default: the File's or the path's, else "". */
  name?: string;
  /** What to read. */
  input: Input | FilePath;
}

/** A file by its path: in Node only. */
export interface FilePath {
  path: string;
}

/** How far an analysis is. */
export interface Progress {
  /** Bytes read of the inputs as they are, compressed where they are compressed. */
  bytes: number;
  /** Their size, as far as it is known: streams have none. */
  total: number;
  /** Records read. */
  records: number;
  /** Milliseconds since the beginning. */
  elapsed_ms: number;
  /** Mean speed so far. */
  bytes_per_second: number;
}

/** How the work is done; nothing of it changes the report. */
export interface RunOptions {
  /** Workers; 0 works in the calling thread. Default: as many as there are cores, at most 8. */
  workers?: number | undefined;
  /** Ends the work; the promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called about ten times a second. */
  progress?: ((p: Progress) => void) | undefined;
  /** Starts a worker from another place than the package's own: its script must be the package's worker. Browsers only. */
  spawn?: (() => Worker) | undefined;
  /** The smallest part worth a worker, in bytes. Default 4 MiB. */
  smallest_part?: number | undefined;
}

/** A finished analysis that can be asked for more. Its workers live until close(). */
export class Analysis<R extends Report | CompatReport = Report> {
  /** Inputs whose compressed data is damaged or cut off: what came before the damage is in the report. */
  readonly damaged: readonly StormlintError[];
  private bytes: Uint8Array;
  private parsed: R | undefined;

  /** @internal */
  constructor(raw: Uint8Array, damaged: StormlintError[], private readonly home: Mate) {
    this.bytes = raw;
    this.damaged = damaged;
  }

  /** The report as the core wrote it. */
  get raw(): Uint8Array {
    return this.bytes;
  }

  /** The report. */
  get report(): R {
    return (this.parsed ??= parse(this.bytes) as R);
  }

  /**
   * Judges what was read by other options, without reading it again: the report becomes the one that a new reading would
   * give, and so do later answers. What is not named has its default, not its former value.
   */
  async again(options: JudgeOptions): Promise<R> {
    const raw = await this.home.ask("ask", ["page", { options }]);
    this.bytes = raw;
    this.parsed = undefined;
    return this.report;
  }

  /** More of the clients than the report holds. */
  async page(which: PageRequest = {}): Promise<{ total: number; clients: Client[] }> {
    return parse(await this.home.ask("ask", ["page", which])) as { total: number; clients: Client[] };
  }

  /** Arrivals in bins of a width of one's own. */
  async series(from: string, to: string, bin_ms: number): Promise<Arrivals> {
    return parse(await this.home.ask("ask", ["series", { from, to, bin_ms }])) as Arrivals;
  }

  /** One client by its key. */
  async client(key: string): Promise<Client> {
    return parse(await this.home.ask("ask", ["client", { key }])) as Client;
  }

  /** The report in another form, as the core writes it: markdown, html, text, ndjson. */
  async render(output: string, options: Record<string, unknown> = {}): Promise<Uint8Array> {
    return this.home.ask("ask", ["page", { output, ...options }]);
  }

  /** Ends the worker and frees its memory. */
  close(): void {
    this.home.end();
  }
}

interface Job {
  source: number;
  origin: Origin;
  name: string;
  stream: Input | undefined; // pumped from here
  size: number;
  look: Look | undefined;
  cuts: number[]; // where its parts begin, and the end
  parts: (Ran & { by: Mate; task: number })[];
}

/** Runs an analysis. */
export async function analyzeAll(
  platform: Platform, module: WebAssembly.Module, inputs: readonly (Input | FilePath | NamedInput)[], options: AnalyzeOptions, how: RunOptions,
): Promise<Analysis<Report | CompatReport>> {
  how.signal?.throwIfAborted();
  if (inputs.length === 0) throw new StormlintError("bad-usage", "no input to analyse");
  const jobs = inputs.map((given, source) => job(platform, given, source, inputs.length === 1 ? options.name : undefined));
  if (how.progress !== undefined && typeof how.progress !== "function") throw badValue("", "progress", typeof how.progress, "a function");
  const least = how.smallest_part ?? 4 << 20;
  if (!(least >= 1)) throw badValue("", "smallest_part", least, "1 or more bytes");
  const crew = new Crew(platform, module, how);
  const kind = options.compat ? "compat" as const : "analyze" as const;
  const core = coreOptions(options);
  const opening = (j: Job, index: number): Opening => ({ kind, request: {
    options: core, part: { source: j.source, index, name: j.name },
    ...(j.look?.plan !== undefined ? { plan: j.look.plan } : j.look?.framing !== undefined && kind === "compat" ? { framing: j.look.framing } : {}),
  } });
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_, no) => {
    stop = () => no(how.signal!.reason as Error);
    how.signal?.addEventListener("abort", stop);
  });
  stopped.catch(() => {}); // told by the race
  try {
    return await Promise.race([stopped, crew.lost, work()]);
  } catch (e) {
    crew.end(e);
    throw e;
  } finally {
    how.signal?.removeEventListener("abort", stop);
    crew.quiet();
  }

  async function work(): Promise<Analysis<Report | CompatReport>> {
    const files = jobs.filter((j) => !j.stream && (crew.size > 1 || "path" in j.origin));
    await inOrder(files, async (j) => crew.with(j.size, async (mate) => {
      j.look = await mate.ask("look", [j.origin, opening(j, 0), crew.size > 1 ? least : Infinity]);
      j.size = j.look.size;
      j.cuts = [0, j.size];
    }));
    crew.total = jobs.reduce((n, j) => n + j.size, 0);
    await Promise.all(files.filter((j) => j.look?.splits).map(cut));
    await inOrder(jobs, read);
    const damaged = jobs.flatMap((j) => j.parts.flatMap((p) => (p.damaged ? [named(back(p.damaged), j) as StormlintError] : [])));
    const home = await crew.merge();
    const raw = await home.ask("finish", []).catch((e) => {
      throw jobs.length === 1 ? named(e, jobs[0]!) : e;
    });
    return new Analysis(raw, damaged, home);
  }

  // cut finds where the parts of one input begin.
  async function cut(j: Job): Promise<void> {
    const share = j.size / Math.max(1, crew.total) * crew.size * (jobs.length > 1 ? 2 : 1);
    const n = Math.max(1, Math.min(Math.ceil(share), Math.floor(j.size / least), 64));
    const places = await Promise.all(Array.from({ length: n - 1 }, (_, i) =>
      crew.with(0, (mate) => mate.ask("cut", [j.origin, j.look!.framing ?? "lines", Math.floor((j.size * (i + 1)) / n)]))));
    j.cuts = [0, ...new Set(places.filter((p) => p < j.size)), j.size];
  }

  // read reads all parts of one input, and reads on where a guessed cut was none.
  async function read(j: Job): Promise<void> {
    j.parts = await inOrder(j.cuts.slice(0, -1), (from, index) => crew.with(j.stream ? Infinity : j.cuts[index + 1]! - from, async (by) => {
      const task = crew.task();
      const pump = j.stream !== undefined ? crew.pump(by, task, j.stream) : undefined;
      const ran = await by.ask("run", [task, j.origin, opening(j, index), from, j.cuts[index + 1]!, j.look?.compressed ?? true]).catch((e) => {
        throw pump?.broke ? pump.broke.cause : e; // what broke the stream came before what the worker makes of it
      }).finally(() => pump?.stop());
      if (!guessed(j)) await by.keep(task);
      return { ...ran, by, task };
    }));
    if (!guessed(j)) return;
    for (let left = 0, right = 1; left < j.parts.length; right++) {
      const p = j.parts[left]!;
      if (right < j.parts.length && !p.between) {
        // No record ended at the cut: the left reads the right's part too, and the right has read nothing.
        const wrong = j.parts[right]!;
        Object.assign(p, await p.by.ask("extend", [p.task, j.origin, j.cuts[right]!, j.cuts[right + 1]!]));
        await wrong.by.ask("drop", [wrong.task]);
        const task = crew.task();
        await wrong.by.ask("run", [task, j.origin, opening(j, right), 0, 0, false]);
        await wrong.by.keep(task);
        continue;
      }
      await p.by.keep(p.task);
      left = right;
    }
  }
}

// guessed says that the cuts are guesses: an array's, where only the reader of the part before knows.
const guessed = (j: Job) => j.look?.framing === "array" && j.cuts.length > 2;

// inOrder does everything at once; of several failures the first in order is told.
async function inOrder<T, R>(list: readonly T[], act: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const settled = await Promise.allSettled(list.map(act));
  return settled.map((s) => {
    if (s.status === "rejected") throw s.reason;
    return s.value;
  });
}

function job(platform: Platform, given: Input | FilePath | NamedInput, source: number, fallback: string | undefined): Job {
  const wrapped = typeof given === "object" && given !== null && "input" in given;
  const input = wrapped ? given.input : given;
  if (typeof input !== "string" && (typeof input !== "object" || input === null)) throw unreadable(input);
  const path = platform.path(input);
  const bytes = path === undefined && atHand(input as Input) ? new Blob([whole(input as string) as Uint8Array<ArrayBuffer>]) : input;
  const blob = typeof Blob !== "undefined" && bytes instanceof Blob ? bytes : undefined;
  const own = path?.replace(/.*[\\/]/, "") ?? (typeof File !== "undefined" && input instanceof File ? input.name : "");
  const name = (wrapped ? given.name : undefined) ?? fallback ?? own;
  const origin: Origin = blob ? { blob } : path !== undefined ? { path } : { piped: true };
  return { source, origin, name, stream: "piped" in origin ? (input as Input) : undefined, size: blob?.size ?? 0, look: undefined, cuts: [0, blob?.size ?? Infinity], parts: [] };
}

function named(e: unknown, j: Job): unknown {
  return e instanceof StormlintError && e.source === "" && j.name !== "" ? new StormlintError(e.code, e.message, { ...e, source: j.name }, { cause: e.cause }) : e;
}

/** A stream on its way to a task. */
interface Pump {
  /** What broke the stream. */
  broke?: { cause: unknown };
  /** The task has ended: nothing more is sent, and the stream is let go. */
  stop(): void;
}

/** The workers of one analysis and what waits for them. */
class Crew {
  readonly size: number;
  total = 0;
  /** Rejected when a worker cannot start or dies: then nothing else is worth waiting for. */
  readonly lost: Promise<never>;
  private lose!: (why: unknown) => void;
  private readonly mates: Mate[] = [];
  private readonly idle: Mate[] = [];
  private readonly queue: { weight: number; go: (m: Mate) => void; no: (e: unknown) => void }[] = [];
  private readonly pumps = new Map<number, { room(): void; stop(): void }>(); // by task
  private readonly records = new Map<number, number>();
  private readonly began = Date.now();
  private bytes = 0;
  private tasks = 0;
  private last = 0;
  private ended = false;
  private readonly inThread: boolean;

  constructor(private readonly platform: Platform, private readonly module: WebAssembly.Module, private readonly how: RunOptions) {
    const wanted = how.workers ?? Math.min(8, platform.cores());
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > 64) throw badValue("", "workers", wanted, "0 to 64");
    this.size = Math.max(1, wanted);
    this.inThread = wanted === 0;
    this.lost = new Promise((_, no) => (this.lose = no));
    this.lost.catch(() => {}); // told by the race
  }

  task(): number {
    return ++this.tasks;
  }

  /** Gives the next free worker; heavy work goes first, so that the last to end is light. */
  async with<R>(weight: number, act: (mate: Mate) => Promise<R>): Promise<R> {
    const mate = await this.free(weight);
    try {
      return await act(mate);
    } catch (e) {
      if (e instanceof StormlintError && e.code === "crashed") this.lose(e); // the worker, or the module in it
      throw e;
    } finally {
      const next = this.queue.shift();
      if (next) next.go(mate);
      else this.idle.push(mate);
    }
  }

  private free(weight: number): Promise<Mate> {
    const mate = this.idle.shift();
    if (mate) return Promise.resolve(mate);
    if (this.mates.length < this.size && !this.ended) return this.start();
    return new Promise((go, no) => {
      const at = this.queue.findIndex((q) => q.weight < weight);
      this.queue.splice(at < 0 ? this.queue.length : at, 0, { weight, go, no });
    });
  }

  private async start(): Promise<Mate> {
    try {
      return await this.hire();
    } catch (cause) {
      const why = cause instanceof StormlintError ? cause : new StormlintError("crashed", `a worker cannot be started: ${cause instanceof Error ? cause.message : String(cause)}`, {}, { cause });
      this.lose(why);
      throw why;
    }
  }

  private async hire(): Promise<Mate> {
    const mate = new Mate(this.inThread ? this.platform.inline() : this.platform.spawn(this.how.spawn));
    this.mates.push(mate);
    mate.told = (event) => {
      if ("wants" in event) return this.pumps.get(event.wants)?.room();
      this.bytes += event.read;
      this.records.set(event.task, event.records);
      if (Date.now() - this.last < 100) return;
      try {
        this.tell();
      } catch (e) { // the caller's own: it ends the analysis, not the process
        this.lose(e);
      }
    };
    await mate.ask("start", [this.module]);
    return mate;
  }

  /** Tells how far the work is. */
  tell(): void {
    this.last = Date.now();
    const elapsed_ms = this.last - this.began;
    const records = [...this.records.values()].reduce((a, b) => a + b, 0);
    this.how.progress?.({ bytes: this.bytes, total: this.total, records, elapsed_ms, bytes_per_second: elapsed_ms > 0 ? (this.bytes / elapsed_ms) * 1000 : 0 });
  }

  /** Sends a stream to a task, a piece whenever there is room. */
  pump(mate: Mate, task: number, input: Input): Pump {
    const end = new AbortController();
    const source = raw(input, end.signal);
    let room = 0;
    let wake: () => void = () => {};
    const call = () => wake();
    end.signal.addEventListener("abort", call);
    const pump: Pump = { stop: () => end.abort() };
    this.pumps.set(task, { stop: pump.stop, room: () => {
      room++;
      call();
    } });
    const run = async () => {
      for (;;) {
        const next = await new Promise<IteratorResult<Uint8Array> | void>((yes, no) => {
          wake = () => end.signal.aborted && yes();
          source.next().then(yes, no);
        });
        while (room === 0 && !end.signal.aborted) await new Promise<void>((yes) => (wake = yes));
        if (!next || end.signal.aborted) {
          source.return(undefined).catch(() => {}); // let go, at its next piece where it cannot be at once; nobody is left to be told
          return;
        }
        room--;
        if (next.done) return mate.post({ piped: task });
        const bytes = new Uint8Array(next.value); // a copy: what is sent is gone here, and the piece is somebody's
        mate.post({ piped: task, bytes }, [bytes.buffer]);
      }
    };
    run().catch((cause: unknown) => {
      if (end.signal.aborted) return;
      pump.broke = { cause };
      mate.post({ piped: task, broken: true });
    }).finally(() => this.pumps.delete(task));
    return pump;
  }

  /** Merges what all workers hold into one of them, and lets the others go. */
  async merge(): Promise<Mate> {
    const home = this.mates.find((m) => m.holds)!;
    for (const mate of this.mates) {
      if (mate === home) continue;
      const state = mate.holds ? await mate.ask("state", []) : undefined;
      mate.end();
      if (state) await home.ask("merge", [state], [state.buffer as ArrayBuffer]);
    }
    this.tell();
    return home;
  }

  /** Nothing new begins. */
  quiet(): void {
    this.ended = true;
    for (const pump of this.pumps.values()) pump.stop();
  }

  /** Ends the workers, and what waits for one. */
  end(why: unknown): void {
    this.quiet();
    for (const mate of this.mates) mate.end();
    for (const waiting of this.queue.splice(0)) waiting.no(why);
  }
}
