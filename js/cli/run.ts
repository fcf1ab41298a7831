import { StormlintError } from "../src/failure.js";
import { utf8 } from "../src/instance.js";
import { analyze } from "./analyze.js";
import { explain, formats } from "./formats.js";
import { overview, page } from "./help.js";
import { recommend, simulate } from "./herd.js";
import { lint } from "./lint.js";
import { near, parse, UsageError } from "./parse.js";
import type { Surroundings, Verb } from "./verb.js";
import { version } from "./version.js";

declare const packageVersion: string;

/** The exit codes. */
const done = 0; // the question was answered
const finding = 1; // and a finding is at or above --fail-on
const bad = 2; // bad usage, or nothing readable

const verbs: readonly Verb[] = [analyze, lint, recommend, simulate, version, formats, explain];
const elsewhere = ["guard", "storm", "gateway", "page"];

/** The whole program: reads and writes only what it is given and resolves to the exit code. */
export async function run(around: Surroundings): Promise<number> {
  try {
    return (await obey(around)) ? finding : done;
  } catch (error) {
    if (error instanceof UsageError) around.stderr(`stormlint: ${error.message} (stormlint ${error.verb && `${error.verb} `}--help tells more)\n`);
    else if (error instanceof StormlintError) around.stderr(`stormlint: ${error.message}\n`);
    else throw error; // a mistake of ours, and loud
    return bad;
  }
}

async function obey(around: Surroundings): Promise<boolean> {
  const { verb, args } = choose(around.args);
  if (!verb) {
    const { flags } = parse({ name: "", flags: [] }, args);
    await around.stdout(utf8(flags.get("version") && !flags.get("help") ? `stormlint ${packageVersion}\n` : overview(verbs)));
    return false;
  }
  // Help is wanted whatever else is said.
  if (args.includes("--help") || args.includes("-h")) {
    await around.stdout(utf8(page(verb)));
    return false;
  }
  const values = parse(verb, args);
  if (values.flags.get("version")) {
    await around.stdout(utf8(`stormlint ${packageVersion}\n`));
    return false;
  }
  if (values.flags.get("engine") === "native")
    throw new StormlintError("unsupported", "--engine is native, expected wasm: this command runs the WebAssembly module, the Go command line runs both", { field: "--engine", value: "native" });
  return verb.run(values, around);
}

/** The verb, and the other arguments; the flags of every verb may stand before it. */
function choose(args: readonly string[]): { verb: Verb | undefined; args: string[] } {
  let at = 0;
  while (at < args.length && args[at]!.startsWith("-") && args[at] !== "-") at += args[at] === "--engine" ? 2 : 1;
  const before = args.slice(0, at);
  parse({ name: "", flags: [] }, before);
  const word = args[at];
  if (word === undefined) return { verb: undefined, args: before };
  if (word === "formats") {
    const explains = args[at + 1] === "explain";
    const listed = args[at + 1] === "list";
    return { verb: explains ? explain : formats, args: [...before, ...args.slice(at + (explains || listed ? 2 : 1))] };
  }
  const verb = verbs.find((v) => v.name === word);
  if (verb) return { verb, args: [...before, ...args.slice(at + 1)] };
  if (elsewhere.includes(word))
    throw new StormlintError("unsupported", `${word} is a command of the Go command line only, expected one of analyze, lint, recommend, simulate, version, formats`, { value: word });
  throw new UsageError(near(`unexpected argument ${word}`, word, [...verbs.map((v) => v.name.split(" ")[0]!), ...elsewhere].filter((n, i, all) => all.indexOf(n) === i)));
}
