// The worker: everything that takes longer than a frame is done here. It is two in one script, so that one script has to
// be fetched: the package's own worker, which reads parts of logs for js/src/pool.ts, and the desk, which answers single
// questions. A question to the desk comes as {id, op, …} and is answered as {id, answer} or {id, fault}.
import { StormlintError } from "../../src/failure.js";
import { Instance, request } from "../../src/instance.js";
import { openPath } from "../../src/path-browser.js";
import { worker, type FromWorker, type ToWorker } from "../../src/worker.js";
import { plain } from "./fault.js";
import { head } from "./head.js";
import { records } from "./records.js";

/** A question to the desk. */
export type Question =
  | { op: "load"; module: WebAssembly.Module }
  | { op: "call"; name: string; options: unknown; body?: Uint8Array }
  | { op: "head"; file: Blob; name: string }
  | { op: "records"; file: Blob; numbers: number[]; options: Record<string, unknown> };

const port = globalThis as unknown as { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<(Question & { id: number }) | ToWorker>) => void };
const part = worker({
  post: (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer),
  open: openPath,
});
let module: WebAssembly.Module | undefined;
let instance: Instance | undefined;

port.onmessage = async ({ data }) => {
  if (!("op" in data)) return part(data);
  try {
    const answer = await work(data);
    port.postMessage({ id: data.id, answer }, answer instanceof Uint8Array ? [answer.buffer] : []);
  } catch (e) {
    port.postMessage({ id: data.id, fault: plain(e) });
  }
};

async function work(q: Question): Promise<unknown> {
  switch (q.op) {
    case "load": return load(q.module);
    case "head": return head(q.file);
    case "records": return records(loaded(), q.file, q.numbers, q.options);
    case "call":
      loaded();
      if (!instance || instance.crashed) instance = new Instance(loaded());
      return instance.call(q.name, request(q.options, q.body));
  }
}

function loaded(): WebAssembly.Module {
  if (!module) throw new StormlintError("bad-usage", "the module is not loaded");
  return module;
}

declare const packageVersion: string;

function load(given: WebAssembly.Module): string {
  module = given;
  instance = new Instance(given);
  const { version } = JSON.parse(new TextDecoder().decode(instance.call("version", request({})))) as { version: string };
  if (version !== packageVersion) throw new StormlintError("mismatch", `the module is version ${version}, this page ${packageVersion}`);
  return version;
}
