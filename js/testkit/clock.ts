/**
 * A clock that is told the time. Nothing here waits: a timer runs when `next` is called, and the clock then shows its
 * instant. It keeps the two rules of real timers that reconnect code trips over:
 *
 * | asked for | Node runs it after | a browser runs it after |
 * |---|---|---|
 * | 0.4 | 1 ms | 0 ms |
 * | NaN, undefined | 1 ms | 0 ms |
 * | 2³¹ ms or more | 1 ms (with a warning) | the value modulo 2³², 0 if that is negative |
 *
 * which is how an overflowing backoff becomes a hot loop.
 */

/** Whose timer rules hold. */
export type Runtime = "node" | "browser";

type Callback = (...args: any[]) => void;

interface Timer {
  readonly id: number;
  at: number;
  readonly every: number; // 0: once
  readonly run: () => void;
  readonly ours: boolean; // set by the kit itself, not by the client
}

const limit = 2 ** 31 - 1;

/** What setTimeout returns: usable as Node's Timeout object and, by its primitive value, as a browser's number. */
export class TimerHandle {
  constructor(
    readonly id: number,
    private readonly clock: Clock,
  ) {}
  [Symbol.toPrimitive](): number {
    return this.id;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    this.clock.refresh(this.id);
    return this;
  }
  close(): void {
    this.clock.clear(this.id);
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")](): void {
    this.clock.clear(this.id);
  }
}

/** A fake clock with timers; `now` is in ms since its start, `origin` is what Date shows at the start. */
export class Clock {
  now = 0;
  #timers = new Map<number, Timer>();
  #delays = new Map<number, number>();
  #last = 0;

  readonly runtime: Runtime;
  readonly origin: number;

  constructor(runtime: Runtime = "node", origin: number = Date.UTC(2026, 0, 1)) {
    this.runtime = runtime;
    this.origin = origin;
  }

  readonly setTimeout = (callback: Callback, ms?: number, ...args: unknown[]): TimerHandle =>
    this.#start(callback, ms, args, false);

  /** In the form that takes now() as a function: ReconnectingSocket's option `timers`. */
  get timers(): { setTimeout: (callback: () => void, ms: number) => unknown; clearTimeout: (id: unknown) => void; now: () => number } {
    return { setTimeout: this.setTimeout, clearTimeout: (id) => this.clearTimeout(id as TimerHandle | undefined), now: () => this.now };
  }
  readonly setInterval = (callback: Callback, ms?: number, ...args: unknown[]): TimerHandle =>
    this.#start(callback, ms, args, true);
  readonly clearTimeout = (handle?: TimerHandle | number | string | null): void => {
    if (handle !== undefined && handle !== null) this.clear(Number(handle));
  };
  readonly clearInterval = this.clearTimeout;
  /** Node's setImmediate: runs at the present instant, after what is already due. */
  readonly setImmediate = (callback: Callback, ...args: unknown[]): TimerHandle => {
    const id = ++this.#last;
    this.#timers.set(id, { id, at: this.now, every: 0, run: () => callback(...args), ours: false });
    return new TimerHandle(id, this);
  };
  readonly clearImmediate = this.clearTimeout;

  /** Date on this clock: `new Date()` and `Date.now()` show its present, everything else is the real Date. */
  readonly Date: DateConstructor = fakeDate(this);

  /** performance on this clock. */
  get performance(): { now(): number; readonly timeOrigin: number; mark(): void; measure(): void } {
    return { now: () => this.now, timeOrigin: this.origin, mark() {}, measure() {} };
  }

  /** Runs something of the kit's own at an instant; it does not count as a timer of the client. */
  at(instant: number, run: () => void): void {
    const id = ++this.#last;
    this.#timers.set(id, { id, at: Math.max(instant, this.now), every: 0, run, ours: true });
  }

  /** The instant of the earliest timer, or undefined when none is left. */
  get upcoming(): number | undefined {
    return this.#first()?.at;
  }

  /** How many timers the client itself has pending. */
  get pending(): number {
    let n = 0;
    for (const timer of this.#timers.values()) if (!timer.ours) n++;
    return n;
  }

  /** Moves to the earliest timer and runs it; false when none is left. Equal instants run in the order they were set. */
  next(): boolean {
    const timer = this.#first();
    if (!timer) return false;
    this.now = timer.at;
    if (timer.every > 0) timer.at += timer.every;
    else {
      this.#timers.delete(timer.id);
      this.#delays.delete(timer.id);
    }
    timer.run();
    return true;
  }

  /** Forgets every timer. */
  stop(): void {
    this.#timers.clear();
    this.#delays.clear();
  }

  clear(id: number): void {
    this.#timers.delete(id);
    this.#delays.delete(id);
  }

  refresh(id: number): void {
    const timer = this.#timers.get(id);
    if (timer) timer.at = this.now + (this.#delays.get(id) ?? 0);
  }

  #start(callback: Callback, ms: unknown, args: unknown[], repeats: boolean): TimerHandle {
    if (typeof callback !== "function") throw new TypeError("testkit: a timer needs a function, a string is not run");
    const delay = this.#rule(ms);
    const id = ++this.#last;
    this.#delays.set(id, delay);
    this.#timers.set(id, {
      id,
      at: this.now + delay,
      every: repeats ? Math.max(delay, 1) : 0,
      run: () => callback(...args),
      ours: false,
    });
    return new TimerHandle(id, this);
  }

  #rule(ms: unknown): number {
    const asked = Number(ms);
    if (this.runtime === "browser") return Math.max(asked | 0, 0); // the web's conversion to long wraps modulo 2³²
    return asked >= 1 && asked <= limit ? Math.trunc(asked) : 1;
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers.values())
      if (!first || timer.at < first.at || (timer.at === first.at && timer.id < first.id)) first = timer;
    return first;
  }
}

function fakeDate(clock: Clock): DateConstructor {
  const present = (): number => Math.floor(clock.origin + clock.now);
  return new Proxy(Date, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length ? args : [present()], newTarget),
    apply: (target) => new target(present()).toString(),
    get: (target, key) => (key === "now" ? present : Reflect.get(target, key)),
  });
}
