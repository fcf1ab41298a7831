// Single records of a file by their numbers, for the evidence of a finding: the module's own reader counts them, as it did for
// the report, so that a number means the same in lines, in arrays and in wrapped logs.
import { opened, raw } from "../../src/input.js";
import { StormlintError } from "../../src/failure.js";
import { Instance, request } from "../../src/instance.js";

/** A record as a person may see it. */
export interface Shown {
  /** Its number in the file, from 1. */
  record: number;
  /** The line where it begins, from 1. */
  line: number;
  /** Its first byte, from 0; of a compressed file, in what is compressed. */
  offset: number;
  /** Masked as the reader masks it. */
  sample: string;
}

/** The records with the given numbers, as far as the file has them. Reading stops behind the last one. */
export async function records(module: WebAssembly.Module, file: Blob, numbers: number[], options: Record<string, unknown>): Promise<Shown[]> {
  const found: Shown[] = [];
  const wanted = new Set(numbers).size;
  const instance = new Instance(module); // of its own: the other answers while this reads
  const handle = instance.open("records", request({ options, records: numbers }));
  const take = (answer: Uint8Array) => {
    for (const line of new TextDecoder().decode(answer).split("\n")) if (line) found.push(JSON.parse(line) as Shown);
  };
  try {
    for await (const piece of opened(raw(file))) {
      take(instance.feed(handle, piece));
      if (found.length === wanted) return found;
    }
    take(instance.finish(handle));
  } catch (e) {
    // What came before damage can be shown; a worker out of memory or a file that changed is no damage.
    if (found.length === 0 || !(e instanceof StormlintError) || e.code !== "bad-syntax") throw e;
  }
  return found;
}
