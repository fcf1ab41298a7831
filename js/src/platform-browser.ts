import { inline, type Platform, type Port } from "./crew.js";
import { openPath } from "./path-browser.js";

/** Web Workers. Bundlers know this form of their making and bring the script along. */
export const platform: Platform = {
  cores: () => navigator.hardwareConcurrency || 2,
  spawn: (own) => {
    const thread = own ? own() : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    return {
      post: (message, transfer = []) => thread.postMessage(message, transfer),
      listen: (message, died) => {
        thread.onmessage = (e) => message(e.data);
        thread.onmessageerror = () => died("a message could not be read");
        thread.onerror = (e) => {
          e.preventDefault();
          died(e.message || "its script cannot be loaded");
        };
      },
      hold: () => {},
      end: () => thread.terminate(),
    } satisfies Port;
  },
  inline: () => inline(openPath),
  path: () => undefined,
};
