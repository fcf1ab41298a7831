import type { Frame } from "./fate.js";
import { Server, Wire } from "./wire.js";

/** The constructor of a double in the browser's flavour, for everything that takes a browser's: EventTarget, on-handlers, binaryType, constants. */
export type DoubleConstructor = typeof globalThis.WebSocket;

class MessageLike extends Event {
  constructor(
    readonly data: unknown,
    readonly origin: string,
  ) {
    super("message");
  }
}

class CloseLike extends Event {
  constructor(
    readonly code: number,
    readonly reason: string,
    readonly wasClean: boolean,
  ) {
    super("close");
  }
}

class ErrorLike extends Event {
  constructor(
    readonly message: string,
    readonly error: Error,
  ) {
    super("error");
  }
}

/** Makes a WebSocket constructor whose connections end as the server says. */
export function browserDouble(server: Server): DoubleConstructor {
  class WebSocket extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    readonly CONNECTING = 0;
    readonly OPEN = 1;
    readonly CLOSING = 2;
    readonly CLOSED = 3;
    readonly url: string;
    readonly extensions = "";
    readonly bufferedAmount = 0;
    protocol = "";
    binaryType = "blob";
    onopen: ((event: Event) => void) | null = null;
    onmessage: ((event: Event) => void) | null = null;
    onerror: ((event: Event) => void) | null = null;
    onclose: ((event: Event) => void) | null = null;
    #wire: Wire;

    constructor(url: string | URL, protocols?: string | string[]) {
      super();
      this.url = checked(url);
      const wanted = protocols === undefined ? [] : typeof protocols === "string" ? [protocols] : [...protocols];
      this.#wire = server.connect(this.url, {
        opened: (protocol) => {
          this.protocol = protocol || wanted[0] || "";
          this.#tell(new Event("open"), this.onopen);
        },
        message: (frame) => this.#tell(new MessageLike(this.#form(frame), new URL(this.url).origin), this.onmessage),
        failed: (message) => this.#tell(new ErrorLike(message, new Error(message)), this.onerror),
        closed: (code, reason, clean) => this.#tell(new CloseLike(code, reason, clean), this.onclose),
      });
    }

    get readyState(): number {
      return this.#wire.readyState;
    }

    send(data: unknown): void {
      if (this.#wire.readyState === 0) throw new DOMException("Still in CONNECTING state", "InvalidStateError");
      this.#wire.send(data);
    }

    close(code?: number, reason?: string): void {
      this.#wire.close(code, reason);
    }

    #form(frame: Frame): unknown {
      if (typeof frame === "string") return frame;
      const bytes = frame.slice();
      return this.binaryType === "arraybuffer" ? bytes.buffer : new Blob([bytes]);
    }

    #tell(event: Event, handler: ((event: Event) => void) | null): void {
      // Handlers run first, as if they had been the first listener: reconnect code sets them in the constructor's turn.
      if (typeof handler === "function") handler.call(this, event);
      this.dispatchEvent(event);
    }
  }
  return WebSocket as unknown as DoubleConstructor; // its events are its own, as Node 20 has neither CloseEvent nor ErrorEvent
}

/** A URL that a WebSocket accepts, or the SyntaxError that it throws. */
export function checked(url: string | URL): string {
  let parsed: URL;
  try {
    parsed = new URL(String(url), "ws://localhost/");
  } catch {
    throw new DOMException(`The URL '${String(url)}' is invalid.`, "SyntaxError");
  }
  if (parsed.protocol === "http:") parsed.protocol = "ws:";
  if (parsed.protocol === "https:") parsed.protocol = "wss:";
  if (parsed.protocol !== "ws:" && parsed.protocol !== "wss:")
    throw new DOMException(
      `The URL's scheme must be either 'ws' or 'wss'. '${parsed.protocol.slice(0, -1)}' is not allowed.`,
      "SyntaxError",
    );
  return parsed.href;
}
