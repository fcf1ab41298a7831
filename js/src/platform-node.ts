import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker as Thread } from "node:worker_threads";

import { inline, type Platform, type Port } from "./crew.js";
import { StormlintError } from "./failure.js";
import { openPath } from "./path.js";

/** worker_threads, and files by their paths. */
export const platform: Platform = {
  cores: availableParallelism,
  spawn: () => {
    const thread = new Thread(new URL("./worker-node.js", import.meta.url));
    return {
      post: (message, transfer = []) => thread.postMessage(message, transfer),
      listen: (message, died) => {
        thread.on("message", message);
        thread.on("messageerror", (e) => died(e.message));
        thread.on("error", (e: Error & { code?: string }) => died(e.code === "ERR_WORKER_OUT_OF_MEMORY" ? "out of memory" : e.message));
        thread.on("exit", (status) => died(`exit code ${status}`));
      },
      hold: (busy) => (busy ? thread.ref() : thread.unref()),
      end: () => void thread.terminate(),
    } satisfies Port;
  },
  inline: () => inline(openPath),
  path: (input) => {
    if (input instanceof URL) {
      if (input.protocol !== "file:") throw new StormlintError("bad-value", `input: ${input.protocol} cannot be opened; expected a file: URL, or the body of fetch()`);
      return fileURLToPath(input);
    }
    return typeof input === "object" && input !== null && "path" in input && typeof input.path === "string" && !(Symbol.asyncIterator in input) ? input.path : undefined;
  },
};
