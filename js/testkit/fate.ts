/**
 * What becomes of one connection of the double: the script that a scenario writes. Times are ms on the fake clock.
 */
export type Fate =
  /** The handshake fails after `after` ms: an error event, then close 1006. */
  | { readonly kind: "refused"; readonly after: number; readonly status?: number }
  /** The handshake never ends; only the client can give it up. */
  | { readonly kind: "hang" }
  /** A session: open after `after` ms; then, `life` ms later, a close with a code and a reason. No `life`: it stays. */
  | {
      readonly kind: "session";
      readonly after: number;
      readonly life?: number;
      readonly code?: number;
      readonly reason?: string;
      /** Whether the double sends the frames with which the client counts as connected (`handshake`), or any frame. */
      readonly acknowledged?: boolean;
    };

/** A server's answer to frames: what the double sends so that a protocol client counts as connected. */
export interface Handshake {
  /** Frames sent as soon as the socket is open. */
  readonly onOpen?: readonly Frame[];
  /** Frames sent in answer to what the client sends; return nothing to stay silent. */
  readonly onMessage?: (data: string) => Frame | readonly Frame[] | undefined;
  /** The subprotocol that the server chose. */
  readonly protocol?: string;
}

/** Text, or bytes. */
export type Frame = string | Uint8Array;

/** One connection that the client made, as the kit saw it. Instants are ms since the run's start. */
export interface Connection {
  readonly url: string;
  readonly made: number;
  /** When the session began, if it did. */
  opened?: number;
  /** When it ended for the client: the close event, or the client's own close() during the handshake. */
  ended?: number;
  /** Whether the client ended it. */
  byClient?: boolean;
  /** The code of the close. */
  code?: number;
}
