// The worker: everything that takes longer than a frame is done here. A question comes as {id, op, …}, an answer goes as
// {id, answer} or {id, fault}, and news of a long job as {id, news}.
import { StormlintError } from "../../src/failure.js";
import { Stormlint } from "../../src/stormlint.js";
import { head } from "./head.js";
import { lines } from "./lines.js";
import { Log } from "./log.js";

/** A question to the worker. */
export type Question =
  | { op: "load"; module: WebAssembly.Module }
  | { op: "call"; name: string; options: unknown; body?: Uint8Array }
  | { op: "head"; file: Blob; name: string }
  | { op: "analyze"; files: File[]; options: Record<string, unknown>; compat: boolean }
  | { op: "page"; which: Record<string, unknown> }
  | { op: "series"; from: string; to: string; bin_ms: number }
  | { op: "client"; key: string }
  | { op: "render"; output: string; addresses: boolean }
  | { op: "lines"; file: Blob; numbers: number[] };

/** An error as it crosses. */
export interface Fault {
  code: string;
  text: string;
  source: string;
  record: number;
  line: number;
  field: string;
  value: string;
  expected: string;
}

let stormlint: Stormlint | undefined;
let log: Log | undefined;

const port = globalThis as unknown as { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: unknown };

port.onmessage = async (event: MessageEvent<Question & { id: number }>) => {
  const { id } = event.data;
  try {
    const answer = await work(event.data, (news) => port.postMessage({ id, news }));
    port.postMessage({ id, answer }, answer instanceof Uint8Array ? [answer.buffer] : []);
  } catch (e) {
    port.postMessage({ id, fault: plain(e) });
  }
};

async function work(q: Question, news: (of: unknown) => void): Promise<unknown> {
  if (q.op === "load") {
    stormlint = new Stormlint(q.module);
    return stormlint.version;
  }
  if (q.op === "head") return head(q.file);
  if (q.op === "lines") return lines(q.file, q.numbers);
  if (!stormlint) throw new StormlintError("bad-usage", "the module is not loaded");
  if (q.op === "call") return stormlint.call(q.name, q.options, q.body);
  if (q.op === "analyze") {
    log?.close();
    log = new Log(stormlint);
    return log.read(q.files, q.options, q.compat, news);
  }
  if (!log) throw new StormlintError("bad-usage", "no log was read");
  switch (q.op) {
    case "page": return log.page(q.which);
    case "series": return log.series(q.from, q.to, q.bin_ms);
    case "client": return log.client(q.key);
    case "render": return log.render(q.output, q.addresses);
  }
}

function plain(e: unknown): Fault {
  if (e instanceof StormlintError) {
    return { code: e.code, text: e.message, source: e.source, record: e.record, line: e.line, field: e.field, value: e.value, expected: e.expected };
  }
  const name = e instanceof Error ? e.name : "";
  const text = e instanceof Error ? e.message : String(e);
  const code = name === "NotReadableError" || name === "NotFoundError" ? "file-changed" : /out of memory|allocation failed|Out of memory|Array buffer allocation/i.test(text) ? "out-of-memory" : "crashed";
  return { code, text, source: "", record: 0, line: 0, field: "", value: "", expected: "" };
}
