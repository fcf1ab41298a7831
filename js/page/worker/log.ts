// One log in a worker: its files are read piece by piece, and the finished analysis stays to be asked.
import { type Analyzer } from "../../src/analyzer.js";
import { StormlintError } from "../../src/failure.js";
import { pieces } from "../../src/input.js";
import type { Stormlint } from "../../src/stormlint.js";
import { blank } from "./head.js";

/** How far a reading is. */
export interface News {
  file: string;
  done: number;
  total: number;
  stage: "reading" | "judging";
}

/** A finished reading: the report as the core wrote it, and what a person should know of the files. */
export interface Outcome {
  report: Uint8Array;
  notes: { name: string; what: "cut-off" }[];
}

const slice = 4 << 20;

/** A log of one or several files. */
export class Log {
  private readonly stormlint: Stormlint;
  private whole: Analyzer | undefined;

  constructor(stormlint: Stormlint) {
    this.stormlint = stormlint;
  }

  /** Reads the files and gives the report. */
  async read(files: File[], options: Record<string, unknown>, compat: boolean, news: (of: News) => void): Promise<Outcome> {
    const total = files.reduce((n, f) => n + f.size, 0);
    const notes: Outcome["notes"] = [];
    let before = 0;
    for (const [source, file] of files.entries()) {
      const part = this.stormlint.analyzer({ ...options, name: file.name, compat }, { source });
      let any = false;
      try {
        for await (const piece of pieces(counted(file, (n) => news({ file: file.name, done: before + n, total, stage: "reading" })))) {
          any ||= !blank(piece);
          part.write(piece);
        }
      } catch (e) {
        const damaged = e instanceof StormlintError && e.code === "bad-syntax" && e.record === 0;
        if (!damaged || !any || compat) throw named(e, file.name);
        notes.push({ name: file.name, what: "cut-off" });
      }
      if (!any) throw new StormlintError("unreadable", "the input is empty", { source: file.name });
      before += file.size;
      if (!this.whole) this.whole = part;
      else {
        this.whole.merge(part.state());
        part.close();
      }
    }
    news({ file: "", done: total, total, stage: "judging" });
    try {
      return { report: this.whole!.finishRaw(), notes };
    } catch (e) {
      throw named(e, files[0]!.name);
    }
  }

  page(which: Record<string, unknown>): unknown {
    return this.whole!.page(which);
  }

  series(from: string, to: string, bin: number): unknown {
    return this.whole!.series(from, to, bin);
  }

  client(key: string): unknown {
    return this.whole!.client(key);
  }

  /** The report in another form, as the core writes it. */
  render(output: string, addresses: boolean): Uint8Array {
    return this.whole!.render(output, { show_addresses: addresses });
  }

  close(): void {
    this.whole?.close();
  }
}

function named(e: unknown, source: string): unknown {
  if (!(e instanceof StormlintError) || e.source) return e;
  const { code, message, record, line, field, value, expected } = e;
  return new StormlintError(code, message, { source, record, line, field, value, expected });
}

// The next slice is on its way while one is looked at; what was handed on is told in bytes of the file.
async function* counted(file: Blob, told: (n: number) => void): AsyncGenerator<Uint8Array> {
  const read = (at: number) => (at < file.size ? file.slice(at, at + slice).arrayBuffer() : undefined);
  let next = read(0);
  for (let at = 0; next; at += slice) {
    const now = next;
    next = read(at + slice);
    next?.catch(() => {}); // told when its turn comes
    yield new Uint8Array(await now);
    told(Math.min(at + slice, file.size));
  }
}
