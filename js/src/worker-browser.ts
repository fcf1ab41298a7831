import { openPath } from "./path-browser.js";
import { worker, type FromWorker, type ToWorker } from "./worker.js";

const self = globalThis as unknown as { onmessage: (e: MessageEvent<ToWorker>) => void; postMessage(m: FromWorker, transfer: ArrayBuffer[]): void };
const hear = worker({ post: (message, transfer = []) => self.postMessage(message, transfer), open: openPath });
self.onmessage = (e) => hear(e.data);
