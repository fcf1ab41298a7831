import { DelayEvent, OptionError, ReconnectingSocket, fullJitterDelay, type SocketConstructor } from "stormlint/reconnect";

declare const ws: { new (url: string | URL, protocols?: string | string[]): { readyState: 0 | 1 | 2 | 3; protocol: string; extensions: string; bufferedAmount: number;
  binaryType: "nodebuffer" | "arraybuffer"; onopen: ((event: { type: string; target: object }) => void) | null; onmessage: ((event: { data: string | Uint8Array }) => void) | null;
  onerror: ((event: { message: string }) => void) | null; onclose: ((event: { code: number; reason: string }) => void) | null;
  send(data: string | Uint8Array, done?: (error?: Error) => void): void; close(code?: number, data?: string | Uint8Array): void } };
export const constructors: SocketConstructor[] = [WebSocket, ws]; // the browser's, and one in the shape of the package ws
const socket: Pick<WebSocket, "send" | "close" | "readyState" | "onmessage" | "addEventListener"> = new ReconnectingSocket("wss://example.test", ["v1"], { window: 50_000, WebSocket: ws, hintCap: 60_000 });
(socket as ReconnectingSocket).ondelay = (event: DelayEvent) => void (event.delay satisfies number);
export const wait: number = fullJitterDelay(3, 1000, 30_000);
export const code: "bad-value" = new OptionError("base", 0, "more").code;
// @ts-expect-error: an option that is none
new ReconnectingSocket("wss://example.test", undefined, { retries: 3 });
