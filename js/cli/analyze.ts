import { readFileSync } from "node:fs";
import { StormlintError } from "../src/failure.js";
import { Instance, request as line, type Handle } from "../src/instance.js";
import { module } from "./module.js";
import { coreOptions, type AnalyzeOptions } from "../src/options.js";
import { severities } from "../testkit/verdict.js";
import { progress } from "./progress.js";
import { encode, perDay, take, usage, type Fields } from "./request.js";
import { blank, fault, named, Nothing, open, resolve, type Source } from "./source.js";
import type { Flag, Surroundings, Value, Verb } from "./verb.js";

/** How logs are read: for analyze and formats explain. */
export const reading: readonly Flag[] = [
  { name: "format", form: "text", initial: "auto", hint: "NAME", group: "Reading", help: "Format of the log; auto looks (auto)." },
  { name: "log-format", form: "text", hint: "STR", group: "Reading", help: "The server's own format string, where the format takes one." },
  { name: "map", form: "list", hint: "ROLE=FIELD,…", group: "Reading", help: "Which field of the log plays which part, such as client=peer.addr." },
  { name: "path", form: "list", hint: "P,…", group: "Reading", help: "A WebSocket endpoint; a trailing * matches any rest." },
  { name: "tz", form: "text", hint: "ZONE", group: "Reading", help: "Zone of stamps that have none, such as Europe/Berlin; else UTC." },
  { name: "group-by", form: "text", hint: "KEY", group: "Reading", help: "Groups: ua, path, host, query:KEY or field:NAME." },
];

/** The core's options of reading. */
export function readingOptions(flags: ReadonlyMap<string, Value>): Fields {
  const o: Fields = { day: Math.floor(Date.now() / 86_400_000) }; // places stamps that have no year, or no date
  take(o, flags, "format", "log-format", "map", "path", "tz", "group-by");
  return o;
}

/** analyze: reads every input as a part of its own and merges what they know. */
export const analyze: Verb = {
  name: "analyze",
  help: "Read logs and report which clients reconnect how.",
  takes: { name: "FILE", help: "Logs, plain or compressed; - is standard input.", most: Infinity },
  examples: `  stormlint analyze --sample
  stormlint analyze access.log access.log.1 access.log.2.gz
  zcat old.log.gz | stormlint analyze --since 2026-11-30T10:00:00Z -
  stormlint analyze --path /ws --trusted-proxy 10.0.0.0/8 -o json access.log
  stormlint analyze --capacity 500 --mark 2026-11-30T10:00:00Z=v1.4 -o html access.log > report.html
  stormlint analyze -o github --fail-on high access.log`,
  flags: [
    { name: "input", form: "list", hint: "FILE,…", group: "Input", help: "The same as FILE." },
    { name: "sample", form: "switch", group: "Input", help: "Analyse the bundled sample." },
    { name: "parallel", form: "int", hint: "N", group: "Input", help: "Accepted for the Go command line's sake, whose workers read at once; here one does. The report is the same." },
    ...reading,
    { name: "key", form: "text", initial: "ip", hint: "KEY", group: "Counting", help: "What makes two events the same client's: ip, ip+ua, conn or client (ip)." },
    { name: "trusted-proxy", form: "list", hint: "CIDR,…", group: "Counting", help: "A proxy whose forwarded-for list is believed." },
    { name: "since", form: "text", hint: "T", group: "Counting", help: "Only events from this time on." },
    { name: "until", form: "text", hint: "T", group: "Counting", help: "Only events before this time." },
    { name: "threshold", form: "int", hint: "N", group: "Counting", help: "Attempts a minute from which a client is marked; 0 is 60." },
    { name: "top", form: "int", hint: "N", group: "Counting", help: "Clients in the report; 0 is 100, -1 all." },
    { name: "all", form: "switch", group: "Counting", help: "All clients in the report." },
    { name: "capacity", form: "float", hint: "C", group: "Judging", help: "Handshakes a second that the server can do." },
    { name: "mark", form: "lines", hint: "T=LABEL", group: "Judging", help: "A deploy or the like on the timeline, such as 2026-11-30T10:00:00Z=v1.4; may be repeated." },
    { name: "budget", form: "text", hint: "N/day", group: "Judging", help: "Attempts that a client may make in a day, such as 1000/day." },
    { name: "protocol", form: "text", hint: "NAME", group: "Judging", help: "Whose close codes 4000 to 4999 are meant, such as graphql-ws, discord or pusher." },
    { name: "include", form: "list", hint: "WHAT", group: "Judging", help: "probes: judge health checks like clients; tiers: count a log too that tells of the same handshakes as another." },
    { name: "output", short: "o", form: "text", only: ["text", "json", "ndjson", "markdown", "html", "github"], initial: "text", group: "Report", help: "Form of the report (text); ndjson has all clients, markdown is for the incident document." },
    { name: "show-addresses", form: "switch", group: "Report", help: "Name clients by their addresses in markdown, html and github too, where they are client-001 otherwise." },
    { name: "fail-on", form: "text", only: [...severities, "off"], initial: "off", hint: "LEVEL", group: "Report", help: "Exit 1 from this severity on (off)." },
    { name: "events", form: "switch", group: "Report", help: "Print the events that were read, one JSON line each, instead of a report." },
    { name: "compat", form: "switch", group: "Report", help: "The report of the original prototype, exactly; the threshold is 5 then." },
    { name: "evaluated-at", form: "text", hint: "T", group: "Report", help: "What --compat prints as evaluated_at; else now." },
    { name: "decoder", form: "text", only: ["own", "sonic", "std"], initial: "own", group: "Report", help: "Who takes JSON records apart: own; the others run natively only." },
  ],
  async run({ flags, files }, around) {
    const compat = flags.get("compat") === true;
    const events = flags.get("events") === true;
    if (flags.get("decoder") !== "own") throw usage("--decoder", String(flags.get("decoder")), "own with --engine wasm: libraries run natively only");
    const workers = Number(flags.get("parallel") ?? 0);
    if (workers < 0 || workers > 1024) throw usage("--parallel", String(workers), "a number of workers, 0 for one each processor");
    if (flags.has("evaluated-at") && !compat) throw usage("--evaluated-at", "given without --compat", "--compat beside it: no other report has that field");
    const options = compat ? compatOptions(flags) : reportOptions(flags, around);
    if (compat && events) throw usage("--events", "given beside --compat", "one of both");
    const kind = compat ? "compat" : events ? "events" : "analyze";
    const list = sources(flags, files, around);
    const bar = progress(around, "reading", list.every((s) => s.size > 0) ? list.reduce((n, s) => n + s.size, 0) : 0);
    let whole: Part | undefined;
    const voids: Nothing[] = []; // inputs that hold nothing
    try {
      for (const [source, s] of list.entries()) {
        const part = new Part(kind, { options, part: { source, name: s.name } });
        let held = true;
        try {
          await feed(part, s, around, compat, bar.add);
        } catch (error) {
          if (!(error instanceof Nothing) || compat) throw error;
          voids.push(error); // it counts as an input without records
          held = false;
        }
        if (events) {
          if (held) await part.finish(around, s.name);
          part.close();
        } else if (!whole) whole = part;
        else {
          whole.instance.merge(whole.handle, part.instance.state(part.handle));
          part.close();
        }
      }
    } finally {
      bar.end();
    }
    if (voids.length === list.length) throw voids[0];
    for (const v of voids) around.stderr(`stormlint: ${v.message}; the others are analysed\n`);
    if (!whole) return false;
    await whole.finish(around, list[0]!.name);
    if (compat || flags.get("output") === "json") await around.stdout(newline);
    return !compat && whole.fails(String(flags.get("fail-on")));
  },
};

const newline = Uint8Array.of(10);

/** One input under analysis, in an instance of its own: its memory is free when it is closed. */
class Part {
  readonly instance = new Instance(module());
  readonly handle: Handle;

  constructor(kind: "analyze" | "compat" | "events", request: Fields) {
    this.handle = this.instance.open(kind, encode(request));
  }

  /** Prints the answer, piece by piece. */
  async finish(around: Surroundings, name: string): Promise<void> {
    try {
      for (let again = true; again; ) {
        const step = this.instance.step(this.handle, 1 << 20);
        if (step.piece.length > 0) await around.stdout(step.piece);
        again = step.again;
      }
      await around.stdout(this.instance.finishNow(this.handle));
    } catch (error) {
      throw named(error, name);
    }
  }

  /** Whether the finished report has a finding at or above a level. */
  fails(level: string): boolean {
    if (level === "off") return false;
    const { worst } = JSON.parse(new TextDecoder().decode(this.instance.ask("page", this.handle, line({ n: 1 })))) as { worst: (typeof severities)[number] | null };
    return worst !== null && severities.indexOf(worst) >= severities.findIndex((s) => s === level);
  }

  close(): void {
    this.instance.close(this.handle);
  }
}

/**
 * Gives an input to a stream. Data that turns out to be damaged or cut off is told, and what came before it stands, unless
 * strict, as the prototype was.
 */
async function feed(part: Part, s: Source, around: Surroundings, strict: boolean, read: (bytes: number) => void): Promise<void> {
  let any = false;
  try {
    for await (const chunk of open(s, read)) {
      any ||= !blank(chunk);
      let answer: Uint8Array;
      try {
        answer = part.instance.feed(part.handle, chunk);
      } catch (error) {
        throw new Refused(named(error, s.name));
      }
      if (answer.length > 0) await around.stdout(answer);
    }
  } catch (error) {
    if (error instanceof Refused) throw error.cause;
    if (!any || strict || !(error instanceof StormlintError) || error.code !== "bad-syntax") throw error;
    around.stderr(`stormlint: ${error.message}; what came before is analysed\n`);
  }
  if (!any) throw new Nothing(s.name, "a log, or --sample to see a report of the bundled one");
}

/** Carries what the core says past the errors of reading. */
class Refused {
  constructor(readonly cause: unknown) {}
}

function sources(flags: ReadonlyMap<string, Value>, files: readonly string[], around: Surroundings): Source[] {
  const names = [...files, ...((flags.get("input") as readonly string[] | undefined) ?? [])];
  const bundled = () => {
    const name = flags.get("compat") ? "sample.json" : "sample.ndjson";
    const bytes = readFileSync(new URL(`./${name}`, import.meta.url));
    return [{ name, size: bytes.length, raw: async function* () { yield bytes; } }];
  };
  if (flags.get("sample")) {
    if (names.length > 0) throw usage("--sample", `given beside ${names[0]}`, "one of both");
    return bundled();
  }
  if (names.length > 0) {
    if (names.includes("-") && !around.stdin) throw fault("unreadable", "standard input is a screen", { source: "-", expected: "a pipe or a file" });
    return resolve(names, around);
  }
  if (around.stdin) return resolve(["-"], around);
  if (!flags.get("compat")) throw fault("bad-usage", "no FILE and nothing on standard input", { expected: "a log to read, or --sample to see a report of the bundled one" });
  around.stderr("stormlint: no FILE and nothing on standard input: this is the bundled sample\n");
  return bundled();
}

function compatOptions(flags: ReadonlyMap<string, Value>): Fields {
  const o: Fields = { compat: true, threshold: 5, evaluated_at: `${new Date().toISOString().slice(0, 19)}Z` };
  take(o, flags, "evaluated-at");
  if (flags.get("threshold")) o.threshold = flags.get("threshold");
  return coreOptions(o as AnalyzeOptions);
}

function reportOptions(flags: ReadonlyMap<string, Value>, around: Surroundings): Fields {
  const o = readingOptions(flags);
  take(o, flags, "key", "since", "until", "trusted-proxy", "show-addresses", "mark", "include", "output", "protocol");
  const output = flags.get("output");
  o.all = flags.get("all") === true || output === "ndjson";
  if (output === "text") {
    o.width = around.width;
    o.color = around.color;
    if (flags.get("all")) o.rows = -1;
  } else if (output !== "json") {
    // Without what changes nothing in the answer.
    const alone = /^--(engine|parallel)$/;
    const args = around.args.filter((a, i) => !/^--(engine|parallel)(=|$)/.test(a) && !alone.test(around.args[i - 1] ?? ""));
    o.command = `stormlint ${args.join(" ")}`;
  }
  take(o, flags, "capacity");
  for (const number of ["threshold", "top"]) if (Number(flags.get(number)) !== 0) take(o, flags, number);
  if (flags.get("budget")) o.budget = perDay(String(flags.get("budget")));
  return coreOptions(o as AnalyzeOptions);
}
