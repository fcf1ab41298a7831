import { EventEmitter } from "node:events";
import { checked } from "./double.js";
import type { Server, Wire } from "./wire.js";

/**
 * Makes a constructor in the flavour of the npm package ws: an EventEmitter with `on('open')`, Buffers, `ping`,
 * `terminate` and `unexpected-response`, and beside that on-handlers and addEventListener.
 */
export function wsDouble(server: Server): unknown {
  class WebSocket extends EventEmitter {
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
    readonly isPaused = false;
    readonly _socket = { setNoDelay(): void {}, setKeepAlive(): void {}, setTimeout(): void {}, on(): void {}, once(): void {} };
    protocol = "";
    binaryType = "nodebuffer";
    #wire: Wire;
    #handlers = new Map<string, (event: unknown) => void>();

    constructor(url: string | URL, protocols?: string | string[] | object | null) {
      super();
      this.url = checked(url);
      const wanted = typeof protocols === "string" ? [protocols] : Array.isArray(protocols) ? protocols : [];
      this.#wire = server.connect(this.url, {
        opened: (protocol) => {
          this.protocol = protocol || wanted[0] || "";
          this.emit("upgrade", { headers: {}, statusCode: 101 });
          this.emit("open");
        },
        message: (frame) => this.emit("message", Buffer.from(frame as string), typeof frame !== "string"),
        failed: (message, status) => {
          if (status && this.listenerCount("unexpected-response")) {
            this.emit("unexpected-response", { abort(): void {}, destroy(): void {} }, response(status));
            return;
          }
          // ws reports an error through the emitter, which throws when nobody listens: so do we.
          this.emit("error", Object.assign(new Error(message), status ? {} : { code: "ECONNRESET" }));
        },
        closed: (code, reason) => this.emit("close", code, Buffer.from(reason)),
      });
    }

    get readyState(): number {
      return this.#wire.readyState;
    }

    send(data: unknown, options?: unknown, done?: (error?: Error) => void): void {
      const callback = typeof options === "function" ? (options as (error?: Error) => void) : done;
      if (this.readyState === 0) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
      if (this.readyState !== 1) {
        const error = new Error(`WebSocket is not open: readyState ${this.readyState}`);
        if (callback) callback(error);
        return;
      }
      this.#wire.send(data);
      if (callback) queueMicrotask(() => callback());
    }

    close(code?: number, reason?: string | Buffer): void {
      this.#wire.close(code, String(reason ?? ""));
    }

    terminate(): void {
      this.#wire.close(1006);
    }

    ping(...args: unknown[]): void {
      for (const a of args) if (typeof a === "function") queueMicrotask(() => (a as () => void)());
      if (this.readyState === 1)
        server.clock.at(server.clock.now + 1, () => this.readyState === 1 && this.emit("pong", Buffer.alloc(0)));
    }

    pong(): void {}
    pause(): void {}
    resume(): void {}

    addEventListener(
      type: string,
      listener: ((event: unknown) => void) | { handleEvent(event: unknown): void },
      options?: { once?: boolean },
    ): void {
      const call = (event: unknown): void =>
        typeof listener === "function" ? listener.call(this, event) : listener.handleEvent(event);
      const wrapped = (...args: unknown[]): void => call(this.#event(type, args));
      wrapped.listener = listener;
      if (options?.once) this.once(type, wrapped);
      else this.on(type, wrapped);
    }

    removeEventListener(type: string, listener: unknown): void {
      for (const l of this.rawListeners(type)) {
        const inner = (l as { listener?: { listener?: unknown } }).listener;
        if (inner === listener || inner?.listener === listener) this.off(type, l as () => void);
      }
    }

    #event(type: string, args: unknown[]): object {
      const event = { type, target: this };
      if (type === "message") return { ...event, data: args[1] ? args[0] : String(args[0]) };
      if (type === "close") return { ...event, code: args[0], reason: String(args[1]), wasClean: args[0] !== 1006 };
      if (type === "error") return { ...event, error: args[0], message: (args[0] as Error).message };
      return event;
    }

    /** Gives onopen and its kin the behaviour of ws: one replaceable listener each. */
    static {
      for (const type of ["open", "message", "close", "error"])
        Object.defineProperty(this.prototype, `on${type}`, {
          get(this: WebSocket) {
            return this.#handlers.get(type) ?? null;
          },
          set(this: WebSocket, handler: unknown) {
            const old = this.#handlers.get(type);
            if (old) this.removeEventListener(type, old);
            this.#handlers.delete(type);
            if (typeof handler !== "function") return;
            this.#handlers.set(type, handler as (event: unknown) => void);
            this.addEventListener(type, handler as (event: unknown) => void);
          },
        });
    }
  }
  return WebSocket;
}

function response(status: number): object {
  return Object.assign(new EventEmitter(), {
    statusCode: status,
    statusMessage: "",
    headers: {},
    resume(): void {},
    destroy(): void {},
  });
}
