import type { Clock } from "./clock.js";
import type { Connection, Fate, Frame, Handshake } from "./fate.js";

/** What a double of either flavour does when its wire reports something. */
export interface Listener {
  opened(protocol: string): void;
  message(data: Frame): void;
  failed(message: string, status: number): void;
  closed(code: number, reason: string, clean: boolean): void;
}

/** The server's side of one run: hands each new connection its fate and writes down what the client does. */
export class Server {
  readonly connections: Connection[] = [];

  constructor(
    readonly clock: Clock,
    readonly fateOf: (index: number) => Fate,
    readonly handshake: Handshake = {},
  ) {}

  /** A client has constructed a socket. */
  connect(url: string, listener: Listener): Wire {
    const connection: Connection = { url, made: this.clock.now };
    this.connections.push(connection);
    return new Wire(this, connection, this.fateOf(this.connections.length - 1), listener);
  }
}

/** One connection under its fate. readyState as in a WebSocket: 0 connecting, 1 open, 2 closing, 3 closed. */
export class Wire {
  readyState = 0;
  #server: Server;
  #connection: Connection;
  #fate: Fate;
  #listener: Listener;

  constructor(server: Server, connection: Connection, fate: Fate, listener: Listener) {
    this.#server = server;
    this.#connection = connection;
    this.#fate = fate;
    this.#listener = listener;
    const { clock } = server;
    if (fate.kind === "refused")
      clock.at(clock.now + fate.after, () => {
        if (this.readyState === 0)
          this.#finish(1006, "", false, `Unexpected server response: ${fate.status ?? 503}`, fate.status ?? 503);
      });
    else if (fate.kind === "session") clock.at(clock.now + fate.after, () => this.#open());
  }

  send(data: unknown): void {
    if (this.readyState !== 1 || !this.#talks()) return;
    const text = typeof data === "string" ? data : data instanceof Uint8Array ? new TextDecoder().decode(data) : "";
    const answer = this.#server.handshake.onMessage?.(text);
    if (answer === undefined) return;
    for (const frame of typeof answer === "string" || answer instanceof Uint8Array ? [answer] : answer) this.#deliver(frame);
  }

  close(code = 1005, reason = ""): void {
    if (this.readyState >= 2) return;
    const connecting = this.readyState === 0;
    this.readyState = 2;
    this.#connection.byClient = true;
    const { clock } = this.#server;
    clock.at(clock.now, () => {
      if (connecting) this.#finish(1006, "", false, "WebSocket was closed before the connection was established", 0);
      else this.#finish(code, reason, true);
    });
  }

  #talks(): boolean {
    return this.#fate.kind === "session" && this.#fate.acknowledged !== false;
  }

  #open(): void {
    const fate = this.#fate;
    if (this.readyState !== 0 || fate.kind !== "session") return;
    const { clock, handshake } = this.#server;
    this.readyState = 1;
    this.#connection.opened = clock.now;
    if (fate.life !== undefined)
      clock.at(clock.now + fate.life, () => {
        if (this.readyState === 1)
          this.#finish(fate.code ?? 1006, fate.reason ?? "", fate.code !== undefined && fate.code !== 1006);
      });
    this.#listener.opened(handshake.protocol ?? "");
    if (this.#talks()) for (const frame of handshake.onOpen ?? []) this.#deliver(frame);
  }

  #deliver(frame: Frame): void {
    const { clock } = this.#server;
    clock.at(clock.now, () => {
      if (this.readyState === 1) this.#listener.message(frame);
    });
  }

  #finish(code: number, reason: string, clean: boolean, error?: string, status = 0): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#connection.ended = this.#server.clock.now;
    this.#connection.code = code;
    if (error !== undefined) this.#listener.failed(error, status);
    this.#listener.closed(code, reason, clean);
  }
}
