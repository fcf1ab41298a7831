// Errors as they cross, and as the page sorts them.
import { StormlintError } from "../../src/failure.js";

/** An error as it crosses between threads. */
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

/** An error by its code and text alone. */
export function fault(code: string, text: string): Fault {
  return { code, text, source: "", record: 0, line: 0, field: "", value: "", expected: "" };
}

/** Any error as a fault; the browser's own are told apart by their names. */
export function plain(e: unknown): Fault {
  if (e instanceof StormlintError && !memory.test(e.message)) {
    return { code: e.code, text: e.message, source: e.source, record: e.record, line: e.line, field: e.field, value: e.value, expected: e.expected };
  }
  const name = e instanceof Error ? e.name : "";
  const text = e instanceof Error ? e.message : String(e);
  if (name === "NotReadableError" || name === "NotFoundError") return fault("file-changed", text);
  return fault(memory.test(text) ? "out-of-memory" : "crashed", text);
}

const memory = /out of memory|allocation failed|cannot allocate/i;
