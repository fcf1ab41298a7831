import { Analyzer, parse, type Part } from "./analyzer.js";
import { StormlintError } from "./failure.js";
import { atHand, whole, type Input } from "./input.js";
import { Instance, request } from "./instance.js";
import type { Platform } from "./crew.js";
import { coreOptions, type AnalyzeOptions } from "./options.js";
import { analyzeAll, type Analysis, type FilePath, type NamedInput, type RunOptions } from "./pool.js";
import type { Advice, RecommendRequest, SimulateRequest, Simulation } from "./herd.js";
import type { CompatReport, LintResult, Plan, Report } from "./report.js";

/** A question to the linter: a policy or recorded delays, and what is known of the fleet. */
export interface LintRequest {
  /** A SPEC ("full:1s:30s", "lib:socket.io-client") or its JSON form. */
  policy?: string | object;
  /** Delays in ms: runs of one client each, or a scenario with its runs. */
  runs?: number[][] | object;
  /** Clients that fall together. */
  clients?: number;
  /** Handshakes a second that the server can do. */
  capacity?: number;
  /** Attempts that a client may make in a day. */
  budget?: number;
  /** Whose timers wait. Default "js", or that of the library. */
  runtime?: "js" | "go" | "java" | "python" | "rust";
  [option: string]: unknown;
}

/** A loaded module, ready to be asked. Get one from load() or loadSync(). */
export class Stormlint {
  /** The compiled module; it can be posted to a worker and loaded there. */
  readonly module: WebAssembly.Module;
  /** stormlint's version, the same in the module and in this package. */
  readonly version: string;
  private instance: Instance;

  /** @internal */
  constructor(module: WebAssembly.Module, private readonly platform: Platform) {
    this.module = module;
    this.instance = new Instance(module);
    this.version = (parse(this.call("version")) as { version: string }).version;
    if (this.version !== packageVersion) {
      throw new StormlintError("mismatch", `the module is version ${this.version}, this package ${packageVersion}`);
    }
  }

  /**
   * Analyses a log: bytes, text, a Blob or File, a web or Node stream; in Node also { path }. gzip and zstd are opened. It
   * works in the calling thread, unless there are workers: then a large input is cut into parts, one a worker, and the
   * report is the same. An input without a byte gives the report of no records, as the core's does in Go: a file that has
   * just been rotated is no fault to a program. The command line and the page, where a person waits, say that it is empty.
   */
  async analyze(input: Input | FilePath, options: AnalyzeOptions & RunOptions & { compat: true }): Promise<CompatReport>;
  async analyze(input: Input | FilePath, options?: AnalyzeOptions & RunOptions): Promise<Report>;
  async analyze(input: Input | FilePath, options: AnalyzeOptions & RunOptions = {}): Promise<Report | CompatReport> {
    return parse(await this.analyzeRaw(input, options)) as Report;
  }

  /** The same, as the core wrote it: the bytes that the command line prints, in any of its forms. */
  async analyzeRaw(input: Input | FilePath, options: AnalyzeOptions & RunOptions = {}): Promise<Uint8Array> {
    const { workers = 0, ...rest } = options;
    const done = await this.analyzeFiles([{ input, name: options.name ?? "" }], { ...rest, workers });
    done.close();
    if (done.damaged[0]) throw done.damaged[0];
    return done.raw;
  }

  /**
   * Analyses several inputs as one, with a worker for each core, and gives what can be asked for more: close() it. Damaged
   * gzip or zstd is told beside the report.
   *
   *     const a = await s.analyzeFiles(fileInput.files, { progress: ({ bytes, total }) => show(bytes / total) });
   *     console.log(a.report.totals, await a.page({ offset: 100 }));
   *     a.close();
   */
  async analyzeFiles(inputs: Iterable<Input | FilePath | NamedInput>, options: AnalyzeOptions & RunOptions & { compat: true }): Promise<Analysis<CompatReport>>;
  async analyzeFiles(inputs: Iterable<Input | FilePath | NamedInput>, options?: AnalyzeOptions & RunOptions): Promise<Analysis>;
  async analyzeFiles(inputs: Iterable<Input | FilePath | NamedInput>, options: AnalyzeOptions & RunOptions = {}): Promise<Analysis<Report | CompatReport>> {
    const { workers, signal, progress, spawn, smallest_part, ...core } = options;
    return analyzeAll(this.platform, this.module, [...inputs], core, { workers, signal, progress, spawn, smallest_part });
  }

  /** Analyses plain bytes or text without waiting. */
  analyzeSync(input: Uint8Array | ArrayBuffer | string, options: AnalyzeOptions & { compat: true }): CompatReport;
  analyzeSync(input: Uint8Array | ArrayBuffer | string, options?: AnalyzeOptions): Report;
  analyzeSync(input: Uint8Array | ArrayBuffer | string, options: AnalyzeOptions = {}): Report | CompatReport {
    if (!atHand(input)) throw new StormlintError("bad-value", "input: analyzeSync takes bytes or text; analyze takes streams");
    const a = this.analyzer(options);
    try {
      a.write(whole(input));
      return a.finish();
    } finally {
      a.close();
    }
  }

  /** Analyses piece by piece, or one part of a whole. */
  analyzer(options: AnalyzeOptions = {}, part: Part = {}): Analyzer {
    return new Analyzer(this.module, options, part);
  }

  /** Decides from the head of an input how all its parts are to be read. */
  sniff(head: Uint8Array, options: AnalyzeOptions = {}): Plan {
    return parse(this.call("sniff", coreOptions(options), head)) as Plan;
  }

  /** Judges a reconnect schedule. */
  lint(question: LintRequest): LintResult {
    return parse(this.call("lint", question)) as LintResult;
  }

  /** Simulates a fleet that comes back: the same words as `stormlint simulate`. */
  simulate(scenario: SimulateRequest): Simulation {
    return parse(this.call("simulate", scenario)) as Simulation;
  }

  /** Recommends a policy for a fleet and a server: the same words as `stormlint recommend`. */
  recommend(scenario: RecommendRequest): Advice {
    return parse(this.call("recommend", scenario)) as Advice;
  }

  /** The first n delays of a policy in ms, for one seed. */
  delays(policy: string | object, n: number, seed = 1): number[] {
    return parse(this.call("delays", { policy, n, seed })) as number[];
  }

  /**
   * Asks one operation by name: what the methods are made of. The answer is the core's bytes, mostly JSON.
   * @param body raw bytes, where the operation takes them beside its options
   */
  call(op: string, options?: unknown, body?: Uint8Array): Uint8Array {
    if (this.instance.crashed) this.instance = new Instance(this.module);
    return this.instance.call(op, request(options, body));
  }
}

declare const packageVersion: string;
