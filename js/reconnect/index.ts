/**
 * stormlint/reconnect: a WebSocket client that is right. No dependency, no wasm.
 *
 *     import { ReconnectingSocket } from 'stormlint/reconnect';
 *     const socket = new ReconnectingSocket('wss://example.org/live');
 *     socket.onmessage = (event) => console.log(event.data);
 */
export { fullJitterDelay } from "./delay.js";
export { DelayEvent, ReconnectingSocket } from "./socket.js";
export { OptionError } from "./settings.js";
export type { ReconnectOptions, SocketConstructor, SocketLike, Timers } from "./options.js";
