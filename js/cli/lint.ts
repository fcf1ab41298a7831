import { StormlintError } from "../src/failure.js";
import { Instance, utf8 } from "../src/instance.js";
import { severities } from "../testkit/verdict.js";
import { module } from "./module.js";
import { encode, perDay, take, usage, type Fields } from "./request.js";
import { fault, readAll, withSource } from "./source.js";
import type { Verb } from "./verb.js";

/** lint: judges a schedule. */
export const lint: Verb = {
  name: "lint",
  help: "Judge a reconnect schedule: a policy, a real library's, or the delays your test suite recorded.",
  takes: { name: "FILE", help: "Nothing is read from here: --delays names a file, --policy a schedule.", most: Infinity },
  examples: `  stormlint lint --policy full:1s:30s
  stormlint lint --policy lib:socket.io-client
  stormlint lint --policy window:31s --clients 50000 --capacity 2000
  stormlint lint --delays delays.json -o github
  stormlint lint --explain growth-locked`,
  flags: [
    { name: "policy", short: "p", form: "text", hint: "SPEC", help: "The schedule: full:1s:30s, prop:1s:120s:1.6:0.2,attempts=10, window:25s, a JSON object, or a real library's as lib:socket.io-client." },
    { name: "delays", form: "text", hint: "FILE", help: "Delays in ms that a client was seen to wait: a JSON array of runs, CSV with a run a line, or {scenario, runs}; - is standard input." },
    { name: "clients", form: "int", hint: "N", help: "How many clients fall together." },
    { name: "capacity", form: "float", hint: "C", help: "Handshakes a second that the server can do." },
    { name: "runtime", form: "text", only: ["", "js", "go", "java", "python", "rust"], hint: "NAME", help: "Whose timers wait (js, go, java, python, rust); js, or that of the library." },
    { name: "budget", form: "text", hint: "N/day", help: "Attempts that a client may make in a day, such as 1000/day." },
    { name: "output", short: "o", form: "text", only: ["text", "json", "github"], initial: "text", help: "Form of the answer (text); github: annotations of a workflow." },
    { name: "fail-on", form: "text", only: [...severities, "off"], initial: "high", hint: "LEVEL", help: "Exit 1 from this severity on (high)." },
    { name: "explain", form: "text", hint: "RULE", help: "Explain a rule; --explain=all lists them." },
    { name: "libraries", form: "switch", help: "List the real libraries that lib: knows." },
  ],
  async run({ flags, files }, around) {
    const instance = new Instance(module());
    const delays = String(flags.get("delays") ?? "");
    const policy = String(flags.get("policy") ?? "");
    const call = (op: string, request: Fields, body?: Uint8Array): Uint8Array => {
      try {
        return instance.call(op, encode(request, body));
      } catch (error) {
        throw error instanceof StormlintError && body && error.source === "" ? withSource(error, delays) : error;
      }
    };
    const print = async (op: string, request: Fields, body?: Uint8Array): Promise<void> => {
      await around.stdout(call(op, request, body));
      if (flags.get("output") === "json") await around.stdout(utf8("\n"));
    };
    const request: Fields = { output: flags.get("output"), ...(around.color && { color: true }) };
    const rule = flags.get("explain");
    if (rule !== undefined || flags.get("libraries")) {
      await print("explain", { ...request, ...(rule === undefined ? { rule: "lib:" } : rule !== "all" && { rule }) });
      return false;
    }
    if (files.length > 0) throw usage("lint", files[0]!, `--delays ${files[0]} for a file, --policy for a SPEC`);
    if (!policy && !delays) throw fault("bad-usage", "nothing to lint", { expected: "--policy SPEC, or --delays FILE (- for standard input)" });
    if (policy && delays) throw usage("--delays", delays, "either --policy or --delays");
    take(request, flags, "policy", "runtime", "clients", "capacity");
    if (flags.get("budget")) request.budget = perDay(String(flags.get("budget")));
    const body = delays ? await readAll(delays, around) : undefined;
    await print("lint", request, body);
    const limit = severities.findIndex((s) => s === flags.get("fail-on"));
    if (limit < 0) return false;
    const { findings } = JSON.parse(new TextDecoder().decode(call("lint", { ...request, output: "json" }, body))) as { findings: { severity: (typeof severities)[number] }[] };
    return findings.some((f) => severities.indexOf(f.severity) >= limit);
  },
};
