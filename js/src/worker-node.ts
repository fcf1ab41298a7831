import { parentPort } from "node:worker_threads";

import { openPath } from "./path.js";
import { worker } from "./worker.js";

const port = parentPort!;
port.on("message", worker({ post: (message, transfer = []) => port.postMessage(message, transfer), open: openPath }));
