import { parseArgs } from "node:util";
import { duration, float, integer, quoted } from "./number.js";
import { usage } from "./request.js";
import type { Flag, Value, Values, Verb } from "./verb.js";

/** A command line that cannot be meant; `verb` is whose help tells more. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly verb = "",
  ) {
    super(message);
  }
}

/** The flags of every verb. */
export const common: readonly Flag[] = [
  { name: "help", short: "h", form: "switch", help: "Show what there is, with examples." },
  { name: "engine", form: "text", only: ["native", "wasm"], initial: "wasm", help: "What runs the core: here the WebAssembly module, always (wasm)." },
  { name: "version", form: "switch", help: "Print the version." },
];

/** Reads a command line after its verb; the words of what is wrong are those of the Go command line. */
export function parse(verb: Pick<Verb, "name" | "flags" | "takes">, args: readonly string[]): Values {
  const flags = [...common, ...verb.flags];
  const bad = (text: string) => new UsageError(text, verb.name);
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(flags.map((f) => [f.name, { type: f.form === "switch" ? "boolean" : "string", ...(f.short && { short: f.short }) }] as const)),
  });
  const given = new Map<string, Value>();
  const files: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") {
      if (files.length >= (verb.takes?.most ?? 0)) throw bad(`unexpected argument ${token.value}`);
      files.push(token.value);
    } else if (token.kind === "option") {
      const flag = flags.find((f) => (token.rawName.startsWith("--") ? f.name === token.name : f.short === token.rawName.slice(1)));
      if (!flag) throw bad(near(`unknown flag ${token.rawName}`, token.rawName, flags.flatMap((f) => [`--${f.name}`, ...(f.short ? [`-${f.short}`] : [])])));
      const value = read(flag, token.value, token.inlineValue === true, bad);
      const before = given.get(flag.name);
      given.set(flag.name, Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value);
    }
  }
  for (const flag of flags) {
    const value = given.get(flag.name);
    if (value === undefined && flag.initial !== undefined) given.set(flag.name, flag.initial);
    else if (value !== undefined && flag.only && !flag.only.includes(String(value)))
      throw bad(`--${flag.name} must be one of ${flag.only.map(quoted).join(",")} but got ${quoted(String(value))}`);
  }
  // A flag with nothing in it: mostly a variable of a script that was not set.
  for (const token of tokens) {
    const flag = token.kind === "option" && flags.find((f) => (token.rawName.startsWith("--") ? f.name === token.name : f.short === token.rawName.slice(1)));
    const value = flag && given.get(flag.name);
    if (flag && (value === "" || (Array.isArray(value) && value.includes("")))) throw usage(`--${flag.name}`, "empty", (flag.hint ?? "").replace("…", "..."));
  }
  return { flags: given, files };
}

/** Reads one flag's value. */
function read(flag: Flag, text: string | undefined, inline: boolean, bad: (text: string) => UsageError): Value {
  const name = `--${flag.name}`;
  if (flag.form === "switch") {
    const word = text?.toLowerCase();
    if (word === undefined || ["true", "1", "yes"].includes(word)) return true;
    if (["false", "0", "no"].includes(word)) return false;
    throw bad(`${name}: bool value must be true, 1, yes, false, 0 or no but got ${quoted(word)}`);
  }
  const kind = { text: "string", list: "string", lines: "string", int: "int", uint: "uint", float: "float", span: "duration" }[flag.form];
  if (text === undefined) {
    if (flag.form === "list" || flag.form === "lines") throw bad(`${name}: missing value, expecting "<arg>${flag.form === "list" ? ",..." : ""}"`);
    throw bad(`${name}: expected ${kind} value but got "EOL" (<EOL>)`);
  }
  const negative = kind !== "string" && /^-[.\d]/.test(text); // a number to be told its range, not a flag
  if (!inline && text.startsWith("-") && text !== "-" && !negative)
    throw bad(`${name}: expected ${kind} value but got ${quoted(text)} (${text.startsWith("--") ? "long" : "short"} flag); perhaps try ${name}=${quoted(text)}?`);
  switch (flag.form) {
    case "list":
      return text.split(/(?<!\\),/).map((part) => part.replaceAll("\\,", ","));
    case "lines":
      return [text];
    case "int":
    case "uint": {
      const n = flag.form === "int" ? integer(text, -(1n << 63n), (1n << 63n) - 1n) : integer(text, 0n, (1n << 64n) - 1n);
      if (n === undefined) throw bad(`${name}: expected a valid 64 bit ${kind} but got ${quoted(text)}`);
      return n;
    }
    case "float": {
      const n = float(text);
      if (n === undefined) throw bad(`${name}: expected a float but got ${quoted(text)} (string)`);
      return n;
    }
    case "span": {
      const ms = duration(text);
      if (typeof ms === "string") throw bad(`${name}: expected duration but got ${quoted(text)}: ${ms}`);
      return ms;
    }
    default:
      return text;
  }
}

/** Adds to a text what was probably meant. */
export function near(text: string, word: string, known: readonly string[]): string {
  const close = known.filter((k) => k.startsWith(word) || distance(k, word) <= 2).map(quoted);
  if (close.length === 0) return text;
  return `${text}, did you mean ${close.length > 1 ? "one of " : ""}${close.join(", ")}?`;
}

/** How many letters must be changed, left out or put in (Levenshtein 1965). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (b[j] === letter ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
