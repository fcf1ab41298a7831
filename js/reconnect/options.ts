/** What a ReconnectingSocket can be told. Every option has a default; times are in milliseconds. */
export interface ReconnectOptions {
  /** The first ceiling of the full-jitter delay: the first wait is drawn from 0 to this. Above 0. @default 5000 */
  readonly base?: number;
  /** The largest ceiling of the full-jitter delay. At least base. @default 60000 */
  readonly cap?: number;
  /** How fast the ceiling grows, from 1 (no growth). @default 2 */
  readonly factor?: number;
  /** Use the window policy over this many ms instead of full jitter: what `stormlint recommend` answers. Above 0. */
  readonly window?: number;
  /** Retries in a row, without a stable session between them, before giving up. At least 1. @default Infinity */
  readonly maxAttempts?: number;
  /** A session must last this long before the next loss starts again at the first window. 0 trusts every open. @default 5000 */
  readonly stableAfter?: number;
  /** How long one handshake may take before it is abandoned. Above 0. @default 20000 */
  readonly connectTimeout?: number;
  /** Which close codes end it for good. A list, or a test. @default 1002, 1003, 1007, 1008, 1010, 3000, 3003, 4000–4099, 4400–4404 */
  readonly fatal?: readonly number[] | ((code: number, reason: string) => boolean);
  /** The wait that the server asks for, in ms, or undefined. @default reads `retry-after=12` and kin from the close reason */
  readonly hint?: (event: { readonly code: number; readonly reason: string }) => number | undefined;
  /** The longest wait that a server can ask for: a longer one counts as this. At least 0. @default 3600000 (one hour) */
  readonly hintCap?: number;
  /** How many messages to keep while not connected; further ones are refused by `send` with an error. @default 0 */
  readonly buffer?: number;
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** Timers and clock, for tests. @default the global ones */
  readonly timers?: Timers;
  /** The WebSocket constructor. @default globalThis.WebSocket */
  readonly WebSocket?: SocketConstructor;
}

/** The timers a ReconnectingSocket uses. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(id: unknown): void;
  /** The present in ms, from any origin. */
  now(): number;
}

/** What a constructor of sockets must give: the browser's WebSocket, or the one of the package ws. */
export interface SocketConstructor {
  new (url: string | URL, protocols?: string | string[]): SocketLike;
}

/** The part of a WebSocket that is used. */
export interface SocketLike {
  readonly readyState: number;
  readonly protocol: string;
  readonly extensions: string;
  readonly bufferedAmount: number;
  binaryType: string;
  // Each runtime has events of its own: never says that nothing is assumed of them here.
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void;
  close(code?: number, reason?: string): void;
}

/** Options with every default filled in. */
export type Settings = Required<Omit<ReconnectOptions, "window" | "fatal">> & {
  readonly window: number;
  readonly fatal: (code: number, reason: string) => boolean;
};
