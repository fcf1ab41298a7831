import { StormlintError } from "./failure.js";
import { Instance, request, utf8, type Handle } from "./instance.js";
import { coreOptions, type AnalyzeOptions, type JudgeOptions, type PageRequest } from "./options.js";
import type { Arrivals, Client, Plan, Report } from "./report.js";

/** Where an analyzer's input stands in a whole of several: needed only by those that will be merged. */
export interface Part {
  /** The number of the input, from 0. */
  source?: number;
  /** The number of the part within it, from 0. */
  index?: number;
  /** The plan that sniff() made of the input's head; all parts of one input must be read by the same. */
  plan?: Plan;
}

/**
 * Analyses a log that arrives in pieces. Each analyzer has an instance of the module for itself, so that its memory is
 * free after close().
 *
 *     const a = s.analyzer({ name: "access.log" });
 *     for await (const chunk of stream) a.write(chunk);
 *     const report = a.finish();
 *     const next = a.page({ offset: 100 });
 *     a.close();
 */
export class Analyzer {
  private readonly instance: Instance;
  private readonly handle: Handle;
  private closed = false;

  /** @internal */
  constructor(module: WebAssembly.Module, options: AnalyzeOptions, part: Part) {
    this.instance = new Instance(module);
    const { source = 0, index = 0, plan } = part;
    this.handle = this.instance.open(options.compat ? "compat" : "analyze", request({
      options: coreOptions(options), part: { source, index, name: options.name ?? "" }, ...(plan ? { plan } : {}),
    }));
  }

  private live(): Instance {
    if (this.closed) throw new StormlintError("closed", "the analyzer is closed");
    return this.instance;
  }

  /** The next piece of the input, cut anywhere. */
  write(chunk: Uint8Array | string): void {
    this.live().feed(this.handle, typeof chunk === "string" ? utf8(chunk) : chunk);
  }

  /** What is known so far, as bytes for another analyzer's merge(); nothing can be written after it. */
  state(): Uint8Array {
    return this.live().state(this.handle);
  }

  /** Adds the state of another part. */
  merge(state: Uint8Array): void {
    this.live().merge(this.handle, state);
  }

  /** The report. After it the analyzer can only be asked and closed. */
  finish(): Report {
    return parse(this.finishRaw()) as Report;
  }

  /** The report as the core wrote it. */
  finishRaw(): Uint8Array {
    return this.live().finish(this.handle);
  }

  /** Judges what was read by other options, without reading it again; see Analysis.again. After finish. */
  again(options: JudgeOptions): Report {
    return parse(this.live().ask("page", this.handle, request({ options }))) as Report;
  }

  /** More of the clients than the report holds. */
  page(which: PageRequest = {}): { total: number; clients: Client[] } {
    return parse(this.live().ask("page", this.handle, request(which))) as { total: number; clients: Client[] };
  }

  /** The finished report in another form, as the core writes it: markdown, html, text, ndjson, json. */
  render(output: string, options: { show_addresses?: boolean; command?: string } = {}): Uint8Array {
    return this.live().ask("page", this.handle, request({ output, ...options }));
  }

  /** Arrivals in bins of a width of one's own. */
  series(from: string, to: string, bin_ms: number): Arrivals {
    return parse(this.live().ask("series", this.handle, request({ from, to, bin_ms }))) as Arrivals;
  }

  /** One client by its key. */
  client(key: string): Client {
    return parse(this.live().ask("client", this.handle, request({ key }))) as Client;
  }

  /** Frees the analyzer's memory. */
  close(): void {
    if (!this.closed) this.instance.close(this.handle);
    this.closed = true;
  }
}

/** Reads the core's JSON. */
export function parse(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

