// The page's side of a worker: questions with promises for answers.
import type { Question } from "./desk.js";
import { fault, type Fault } from "./fault.js";

/** An error that a worker told. */
export class Told extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.text);
    this.fault = fault;
  }
}

interface Waiting {
  resolve(value: unknown): void;
  reject(e: unknown): void;
}

/** What every worker is made from: the script, fetched once, and the compiled module. */
export interface Office {
  script: string;
  module: WebAssembly.Module;
}

/** One worker. After stop() it is gone with all it held; the next question hires another. */
export class Clerk {
  private readonly office: Promise<Office>;
  private worker: Promise<Worker> | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(office: Promise<Office>) {
    this.office = office;
  }

  /** Hires the worker before anybody asks; what fails is told to whoever asks. */
  async ready(): Promise<void> {
    await (this.worker ??= this.hire()).catch(() => {});
  }

  /** Asks, and gives the answer. */
  async ask<T>(question: Question): Promise<T> {
    const worker = await (this.worker ??= this.hire());
    return this.post<T>(worker, question);
  }

  private post<T>(worker: Worker, question: Question): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, { resolve: resolve as (v: unknown) => void, reject });
      worker.postMessage({ id, ...question });
    });
  }

  private async hire(): Promise<Worker> {
    const { script, module } = await this.office;
    const worker = new Worker(script);
    worker.onmessage = (event: MessageEvent<{ id: number; answer?: unknown; fault?: Fault }>) => {
      const { id, answer, fault } = event.data;
      const w = this.waiting.get(id);
      if (!w) return;
      this.waiting.delete(id);
      if (fault) w.reject(new Told(fault));
      else w.resolve(answer);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(told(/memory/i.test(event.message) ? "out-of-memory" : "crashed", event.message || "the worker stopped"));
    };
    await this.post(worker, { op: "load", module });
    return worker;
  }

  /** Dismisses the worker at once: whoever waits is told "stopped". */
  stop(): void {
    this.end(told("stopped", "stopped"));
  }

  private end(e: Told): void {
    this.worker?.then((w) => w.terminate(), () => {});
    this.worker = undefined;
    for (const w of this.waiting.values()) w.reject(e);
    this.waiting.clear();
  }
}

function told(code: string, text: string): Told {
  return new Told(fault(code, text));
}

/** Fetches what workers are made of. After this nothing is fetched any more. */
export async function open(base: URL): Promise<Office> {
  const [script, module] = await Promise.all([fetched(new URL("worker.js", base)).then((r) => r.blob()), compiled(new URL("stormlint.wasm", base))]);
  return { script: URL.createObjectURL(new Blob([script], { type: "text/javascript" })), module };
}

async function fetched(url: URL): Promise<Response> {
  let r: Response;
  try {
    r = await fetch(url);
  } catch {
    throw told("not-served", url.pathname);
  }
  if (!r.ok) throw told("not-served", `${url.pathname}: HTTP ${r.status}`);
  return r;
}

// A module that comes with another type is compiled all the same, only later; one that is something else is told.
async function compiled(url: URL): Promise<WebAssembly.Module> {
  const r = await fetched(url);
  const kind = (r.headers.get("content-type") ?? "").split(";")[0];
  try {
    return kind === "application/wasm" ? await WebAssembly.compileStreaming(r) : await WebAssembly.compile(await r.arrayBuffer());
  } catch {
    throw told("wrong-module", `${url.pathname} (${kind || "no type"})`);
  }
}
