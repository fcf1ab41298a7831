import { ceiling, fullJitterDelay, timerLimit, windowDelay } from "./delay.js";
import type { ReconnectOptions, Settings, SocketLike } from "./options.js";
import { settle } from "./settings.js";

/** Tells the next wait: dispatched as `delay` whenever an attempt has been scheduled. */
export class DelayEvent extends Event {
  constructor(
    /** The retry that comes next, counted from 1 after each stable session. */
    readonly attempt: number,
    /** The wait before it in ms. */
    readonly delay: number,
    /** Why: the connection was refused, the handshake timed out, a session ended, or the server named the wait. */
    readonly cause: "refused" | "timeout" | "dropped" | "hint" | "online",
  ) {
    super("delay");
  }
}

type Handler<E = Event> = ((event: E) => void) | null;

/** A close event that any runtime can make: Node 20 has no CloseEvent. */
class Ending extends Event {
  constructor(
    readonly code: number,
    readonly reason: string,
    readonly wasClean: boolean,
  ) {
    super("close");
  }
}

/**
 * A WebSocket that comes back by itself, and not together with all the others.
 *
 * It has the shape of a WebSocket: the same constructor form, properties, methods and events. `open` and `close` are
 * dispatched for every session, `delay` tells each next wait, and after the last `close` (a fatal code, the attempts
 * used up, or your own close()) readyState is CLOSED; until then a lost socket is CONNECTING.
 *
 * One loop only: every attempt belongs to one generation, and whatever an older one still reports is ignored. Coming
 * back online does not connect at once but draws from the first window like everybody else.
 */
export class ReconnectingSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;

  onopen: Handler = null;
  onmessage: Handler<MessageEvent> = null;
  onerror: Handler = null;
  onclose: Handler<CloseEvent> = null;
  ondelay: Handler<DelayEvent> = null;

  #settings: Settings;
  #socket: SocketLike | undefined;
  #state: 0 | 1 | 2 | 3 = 0;
  #retry = 0; // waits made since the last stable session, or since the start
  #timeouts = 0;
  #opened = -1; // when the present session began
  #wait: unknown;
  #limit: unknown;
  #online: (() => void) | undefined;
  #queue: Parameters<SocketLike["send"]>[0][] = [];
  #binaryType: BinaryType = "blob";

  /** The first attempt is made at once, as a WebSocket does; every later one waits. Throws OptionError. */
  constructor(
    readonly url: string | URL,
    readonly protocols?: string | string[],
    options: ReconnectOptions = {},
  ) {
    super();
    this.#settings = settle(options);
    this.#connect();
  }

  get readyState(): 0 | 1 | 2 | 3 {
    return this.#state;
  }
  get protocol(): string {
    return this.#socket?.protocol ?? "";
  }
  get extensions(): string {
    return this.#socket?.extensions ?? "";
  }
  get bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }
  get binaryType(): BinaryType {
    return this.#binaryType;
  }
  set binaryType(kind: BinaryType) {
    this.#binaryType = kind;
    if (this.#socket) this.#socket.binaryType = kind;
  }

  /** Sends now, or keeps the message if `buffer` has room; throws an InvalidStateError otherwise. */
  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    if (this.#state === 1) this.#socket!.send(data);
    else if (this.#state === 0 && this.#queue.length < this.#settings.buffer) this.#queue.push(data);
    else throw new DOMException("reconnect: not connected, and the buffer holds no more", "InvalidStateError");
  }

  /** Ends it for good: no further attempt, whatever is under way. */
  close(code?: number, reason?: string): void {
    if (this.#state >= 2) return;
    this.#idle();
    const socket = this.#socket;
    this.#state = 2;
    if (socket && socket.readyState < 2)
      socket.close(code, reason); // its close event ends us
    else this.#end(new Ending(code ?? 1005, reason ?? "", true));
  }

  #connect(): void {
    const { WebSocket, timers, connectTimeout } = this.#settings;
    this.#state = 0;
    this.#opened = -1;
    let socket: SocketLike;
    try {
      socket = this.protocols === undefined ? new WebSocket(this.url) : new WebSocket(this.url, this.protocols);
    } catch (error) {
      this.#state = 3; // a malformed URL or protocol cannot be cured by trying again
      this.#idle();
      throw error;
    }
    this.#socket = socket;
    socket.binaryType = this.#binaryType;
    let timedOut = false;
    this.#limit = timers.setTimeout(() => {
      timedOut = true;
      socket.close();
      // A handshake that hangs may never report its close: do not wait for it.
      ended(new Ending(1006, "connect timeout", false));
    }, connectTimeout);
    const ended = (event: { code: number; reason: string; wasClean: boolean }): void => {
      if (this.#socket !== socket) return;
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.onerror = () => {}; // ws throws errors that nobody listens for
      this.#lost(new Ending(event.code, event.reason, event.wasClean), timedOut);
    };
    socket.onopen = () => {
      timers.clearTimeout(this.#limit);
      this.#state = 1;
      this.#opened = timers.now();
      for (const data of this.#queue.splice(0)) socket.send(data);
      this.#tell(new Event("open"));
    };
    socket.onmessage = (event: MessageEvent) => this.#tell(new MessageEvent("message", { data: event.data }));
    socket.onerror = () => this.#tell(new Event("error"));
    socket.onclose = ended;
  }

  #lost(event: Ending, timedOut: boolean): void {
    const { timers, stableAfter, maxAttempts, fatal, hint, hintCap, random } = this.#settings;
    const hadSession = this.#opened >= 0;
    this.#socket = undefined;
    this.#idle();
    if (hadSession && timers.now() - this.#opened >= stableAfter) {
      this.#retry = 0;
      this.#timeouts = 0;
    }
    if (timedOut) this.#timeouts++;
    this.#retry++;
    if (this.#state === 2 || this.#retry > maxAttempts || fatal(event.code, event.reason)) return this.#end(event);
    this.#state = 0;
    const asked = hint(event) ?? -1;
    const spread = this.#draw(timedOut);
    this.#tell(event);
    if (this.#state !== 0) return; // the listener called close()
    if (asked >= 0) this.#schedule(Math.min(asked, hintCap) + random() * this.#first(), "hint");
    else this.#schedule(spread, timedOut ? "timeout" : hadSession ? "dropped" : "refused"); // no hint, or one that is no number
  }

  /** The first window in ms: over it every client is spread that was told the same wait, or came online together. */
  #first(): number {
    return this.#settings.window || this.#settings.base;
  }

  #draw(timedOut: boolean): number {
    const { base, cap, factor, window, random } = this.#settings;
    const attempt = this.#retry;
    if (window) return windowDelay(window, { attempt, timedOut, timeouts: this.#timeouts }, random);
    return factor === 2 ? fullJitterDelay(attempt, base, cap, random) : random() * ceiling(attempt, base, cap, factor);
  }

  #schedule(delay: number, cause: DelayEvent["cause"]): void {
    delay = Math.min(delay, timerLimit);
    this.#wait = this.#settings.timers.setTimeout(() => {
      this.#wait = undefined;
      if (offline()) return this.#awaitNetwork();
      try {
        this.#connect();
      } catch (error) {
        this.#end(new Ending(1006, String(error), false)); // nobody can catch what a timer throws
      }
    }, delay);
    this.#tell(new DelayEvent(this.#retry, delay, cause));
  }

  #awaitNetwork(): void {
    this.#online = () => {
      this.#idle();
      this.#schedule(this.#settings.random() * this.#first(), "online");
    };
    globalThis.addEventListener("online", this.#online);
  }

  /** Cancels whatever timer or listener is pending. */
  #idle(): void {
    const { timers } = this.#settings;
    timers.clearTimeout(this.#limit);
    timers.clearTimeout(this.#wait);
    if (this.#online) globalThis.removeEventListener("online", this.#online);
    this.#online = undefined;
  }

  #end(event: Ending): void {
    this.#state = 3;
    this.#queue = [];
    this.#tell(event);
  }

  #tell(event: Event): void {
    const handler = this[`on${event.type}` as "onopen"];
    if (typeof handler === "function") handler.call(this, event);
    this.dispatchEvent(event);
  }
}

/** Whether the runtime knows that there is no network; a runtime that cannot say is online. */
function offline(): boolean {
  return typeof globalThis.addEventListener === "function" && globalThis.navigator?.onLine === false;
}
