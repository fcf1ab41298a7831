// The page's side of a worker: questions with promises for answers.
import type { Kept } from "../kept.js";
import type { Question } from "./desk.js";
import type { Fault } from "./fault.js";
import type { Office } from "./office.js";
import { Told, told } from "./told.js";

interface Waiting {
  resolve(value: unknown): void;
  reject(e: unknown): void;
}

/** One worker. After stop(), a crash or a start that failed it is gone with all it held; the next question hires another. */
export class Clerk {
  private readonly office: Kept<Office>;
  private worker: Promise<Worker> | undefined;
  private era = 0; // counts the workers that were dismissed
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(office: Kept<Office>) {
    this.office = office;
  }

  /** Hires the worker before anybody asks; what fails is told to whoever asks. */
  async ready(): Promise<void> {
    await this.hired().catch(() => {});
  }

  /** Asks, and gives the answer. */
  async ask<T>(question: Question): Promise<T> {
    const { era } = this;
    const worker = await this.hired();
    if (era !== this.era) throw told("stopped", "stopped"); // dismissed meanwhile: it would never answer
    return this.post<T>(worker, question);
  }

  private post<T>(worker: Worker, question: Question): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, { resolve: resolve as (v: unknown) => void, reject });
      worker.postMessage({ id, ...question });
    });
  }

  private hired(): Promise<Worker> {
    if (this.worker) return this.worker;
    const worker = this.hire();
    this.worker = worker;
    worker.catch(() => {
      if (this.worker === worker) this.worker = undefined;
    });
    return worker;
  }

  private async hire(): Promise<Worker> {
    const { era } = this;
    const { script, module } = await this.office.get();
    if (era !== this.era) throw told("stopped", "stopped");
    const worker = new Worker(script);
    worker.onmessage = (event: MessageEvent<{ id: number; answer?: unknown; fault?: Fault }>) => {
      const { id, answer, fault } = event.data;
      const w = this.waiting.get(id);
      if (!w) return;
      this.waiting.delete(id);
      if (fault) w.reject(new Told(fault));
      else w.resolve(answer);
    };
    let loaded = false;
    worker.onerror = (event) => {
      event.preventDefault();
      if (!loaded) this.office.forget(); // no script, or none that runs
      if (era !== this.era) return;
      if (/memory/i.test(event.message)) this.end(told("out-of-memory", event.message));
      else if (loaded) this.end(told("crashed", event.message || "the worker stopped"));
      else this.end(told("not-served", "worker.js"));
    };
    try {
      await this.post(worker, { op: "load", module });
      loaded = true;
      return worker;
    } catch (e) {
      worker.terminate();
      if (era === this.era) this.office.forget(); // what it gave cannot be worked with: fetched anew next time
      throw e;
    }
  }

  /** Dismisses the worker at once: whoever waits is told "stopped". */
  stop(): void {
    this.end(told("stopped", "stopped"));
  }

  private end(e: Told): void {
    this.era++;
    this.worker?.then((w) => w.terminate(), () => {}); // one that is not loaded yet goes in hire()
    this.worker = undefined;
    for (const w of this.waiting.values()) w.reject(e);
    this.waiting.clear();
  }
}
