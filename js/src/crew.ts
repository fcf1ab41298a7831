import { StormlintError, type Code } from "./failure.js";
import { worker, type FromWorker, type Line, type Requests, type Thrown, type ToWorker } from "./worker.js";

/** A worker as the platform gives it. */
export interface Port {
  post(message: ToWorker, transfer?: ArrayBuffer[]): void;
  /** Hands over every message, and the reason when the worker dies. Called once, before anything is posted. */
  listen(message: (m: FromWorker) => void, died: (why: string) => void): void;
  /** Whether the worker may keep the process alive. */
  hold(busy: boolean): void;
  end(): void;
}

/** What a platform must be able to do for a crew. */
export interface Platform {
  /** Workers that run at once without slowing each other. */
  cores(): number;
  /** Starts a worker, by a way of the caller's own if there is one. */
  spawn(own?: () => Worker): Port;
  /** The same in this thread. */
  inline(): Port;
  /** Whether this names a file that a worker can open by itself. */
  path(input: unknown): string | undefined;
}

/** One worker, asked by name. Its death is every open request's error, and every later one's. */
export class Mate {
  private readonly open = new Map<number, { good: (v: unknown) => void; bad: (e: unknown) => void }>();
  private next = 1;
  private dead: StormlintError | undefined;
  private closed = false;
  /** Whether it holds something that is to be merged. */
  holds = false;
  /** What the worker says between answers. */
  told: (event: Exclude<FromWorker, { id: number }>) => void = () => {};

  constructor(private readonly port: Port) {
    port.listen(
      (m) => {
        if (!("id" in m)) return this.told(m);
        const waiting = this.open.get(m.id);
        this.open.delete(m.id);
        this.settle();
        if (m.thrown) waiting?.bad(back(m.thrown));
        else waiting?.good(m.answer);
      },
      (why) => this.die(new StormlintError("crashed", `a worker died: ${why}`)),
    );
  }

  ask<N extends keyof Requests>(name: N, given: Parameters<Requests[N]>, transfer: ArrayBuffer[] = []): Promise<ReturnType<Requests[N]>> {
    if (this.dead) return Promise.reject(this.dead);
    const id = this.next++;
    return new Promise((good, bad) => {
      this.open.set(id, { good: good as (v: unknown) => void, bad });
      this.settle();
      try {
        this.port.post({ id, name, given }, transfer);
      } catch (e) {
        this.open.delete(id);
        bad(e);
      }
    });
  }

  /** Whether it can be asked. */
  get alive(): boolean {
    return !this.dead;
  }

  /** Adds a task to what the worker holds. */
  async keep(task: number): Promise<void> {
    await this.ask("keep", [task]);
    this.holds = true;
  }

  post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    if (!this.dead) this.port.post(message, transfer);
  }

  end(why: StormlintError = new StormlintError("closed", "the analysis is closed")): void {
    this.die(why);
    if (!this.closed) this.port.end();
    this.closed = true;
  }

  private settle(): void {
    this.port.hold(this.open.size > 0);
  }

  private die(why: StormlintError): void {
    this.dead ??= why;
    for (const { bad } of this.open.values()) bad(this.dead);
    this.open.clear();
  }
}

/** An error that crossed, as it was. */
export function back(t: Thrown): Error {
  if (t.foreign === undefined) return new StormlintError(t.code as Code, t.message, t);
  const e = new Error(t.message);
  e.name = t.foreign;
  return e;
}

/** A worker's work in this thread: messages are handed over as they are. */
export function inline(open: Line["open"]): Port {
  let ear: ((m: ToWorker) => void) | undefined;
  let ended = false;
  return {
    post: (message) => queueMicrotask(() => ended || ear!(message)),
    listen: (hear) => {
      ear = worker({ post: (message) => queueMicrotask(() => ended || hear(message)), open });
    },
    hold: () => {},
    end: () => {
      ended = true;
    },
  };
}
