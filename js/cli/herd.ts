import { Instance, utf8 } from "../src/instance.js";
import { module } from "./module.js";
import { duration, float, integer } from "./number.js";
import { encode, Raw, take, usage, type Fields } from "./request.js";
import { readAll } from "./source.js";
import type { Flag, Surroundings, Value, Verb } from "./verb.js";

/** The server, the network and the occasion, for simulate and recommend. Defaults are the core's. */
const server: readonly Flag[] = [
  { name: "clients", short: "n", form: "int", hint: "N", help: "How many clients fall together." },
  { name: "capacity", short: "c", form: "float", hint: "C", help: "Handshakes a second that the server can do." },
  { name: "backlog", short: "b", form: "int", hint: "B", help: "Handshakes that may wait in the server's queue; 511 (nginx, Node)." },
  { name: "timeout", form: "span", hint: "D", help: "How long a client waits for its handshake; 10s." },
  { name: "reject-cost", form: "float", hint: "R", help: "What refusing a client costs the server, in handshakes; 0.1." },
  { name: "fd-limit", form: "int", hint: "F", help: "Sockets that the server can hold." },
  { name: "rtt", form: "span", hint: "D", help: "Median round trip; 50ms." },
  { name: "others", form: "lines", hint: "SHARE:SPEC", help: "Clients that cannot be changed, such as 20%:fixed:1s; may be repeated." },
  { name: "outage", form: "span", hint: "D", help: "The server is away for so long after the drop." },
  { name: "hangs", form: "switch", help: "While it is away, attempts meet silence instead of a refusal." },
  { name: "drop-syn", form: "switch", help: "A full backlog drops connections silently; the kernel tries again after 1, 3 and 7 s." },
  { name: "seed", form: "uint", hint: "S", help: "Another seed is another run of the same scenario; 0." },
  { name: "horizon", form: "span", hint: "D", help: "Stop the simulation there at the latest; the outage + max(15m, 10 N/C)." },
  { name: "from", form: "text", hint: "REPORT", help: "A report of analyze -o json: clients, policies and the capacity seen are taken from it." },
];

const articles = ["immediate:10ms", "fixed:1s", "exp:1s:30s", "full:1s:30s"];

/** simulate: predicts how clients come back. */
export const simulate: Verb = {
  name: "simulate",
  help: "Predict how so many clients come back to such a server, under one policy or several.",
  examples: `  stormlint simulate -n 50000 -c 2000 -p full:1s:30s -p window:50s
  stormlint simulate -n 10000 -c 1000 -p articles
  stormlint simulate -n 50000 -c 2000 -p lib:socket.io-client --outage 30s
  stormlint simulate --from report.json`,
  flags: [
    ...server,
    { name: "policy", short: "p", form: "lines", hint: "SPEC", help: "The clients' policy; repeat it to compare several. articles stands for the four of the articles: immediate:10ms, fixed:1s, exp:1s:30s, full:1s:30s." },
    { name: "drain", form: "span", hint: "D", help: "The server closes its clients over this time instead of at once." },
    { name: "batches", form: "int", hint: "K", help: "…in so many steps." },
    { name: "drop", form: "list", hint: "T[:SHARE],…", help: "A later drop of that share of the connected clients, such as 30s:50%; may be repeated." },
    { name: "restart", form: "text", hint: "NODES:EVERY:DOWN[:DRAIN]", help: "A rolling restart instead, such as 10:1m:20s:10s." },
    { name: "door", form: "text", hint: "RATE[:BURST]", help: "A token bucket before the server." },
    { name: "retry-after", form: "span", hint: "D", help: "What the door tells those it turns away…" },
    { name: "retry-jitter", form: "span", hint: "D", help: "…and how much at most it adds, drawn for each." },
    { name: "skip-departed", form: "switch", help: "The server does no work for clients that have left." },
    { name: "intake", form: "float", hint: "A", help: "Attempts a second that the machine takes in at all, refused or not; no limit." },
    { name: "growth", form: "float", hint: "G", help: "Extra work of a handshake when the house is full, in handshakes." },
    { name: "max-events", form: "int", hint: "K", help: "Stop after so many attempts; 300000000." },
    { name: "output", short: "o", form: "text", only: ["text", "json", "html"], initial: "text", help: "Form of the answer (text); html has the arrivals as SVG." },
  ],
  async run({ flags }, around) {
    const r = await scenario(flags, around);
    const given = list(flags, "policy").flatMap((p) => (p === "articles" ? articles : [p]));
    if (given.length > 0) r.policy = given.map(spec);
    take(r, flags, ["drain", "drain_ms"], "skip-departed", "batches", "max-events", "intake");
    if (flags.get("growth") !== 0) take(r, flags, "growth");
    const drops = list(flags, "drop");
    if (drops.length > 0) r.drops = [{ at_ms: 0 }, ...drops.map(drop)];
    if (flags.get("restart")) r.restart = restart(String(flags.get("restart")));
    if (flags.get("door")) {
      const opened = door(String(flags.get("door")));
      take(opened, flags, ["retry-after", "retry_after_ms"], ["retry-jitter", "jitter_ms"]);
      r.door = opened;
    } else if (flags.has("retry-after") || flags.has("retry-jitter")) throw usage("--retry-after", "given", "a --door that tells it");
    return answer("simulate", r, flags, around);
  },
};

/** recommend: works out numbers. */
export const recommend: Verb = {
  name: "recommend",
  help: "Say which window, backlog, timeout and drain suit so many clients and such a server, each tried by simulation.",
  examples: `  stormlint recommend -n 50000 -c 2000
  stormlint recommend -n 50000 -c 2000 --tight
  stormlint recommend -n 50000 --max-wait 30s
  stormlint recommend -n 50000 -c 2000 --clients-fixed lib:socket.io-client`,
  flags: [
    ...server,
    { name: "tight", form: "switch", help: "N, C and the backlog are known: no room for error, W = 1.25 N/C instead of 2 N/C." },
    { name: "max-wait", form: "span", hint: "D", help: "The longest that a user may wait; without --capacity, the capacity that it takes is worked out." },
    { name: "clients-fixed", form: "text", hint: "SPEC", help: "The clients have this policy and keep it: advise the server alone." },
    { name: "nodes", form: "int", hint: "K", help: "Nodes of the deployment, for its rolling restart; 10." },
    { name: "output", short: "o", form: "text", only: ["text", "json"], initial: "text", help: "Form of the answer (text)." },
  ],
  async run({ flags }, around) {
    const r = await scenario(flags, around);
    take(r, flags, "tight", ["max-wait", "max_wait_ms"], "nodes");
    if (flags.get("clients-fixed")) r.clients_fixed = spec(String(flags.get("clients-fixed")));
    return answer("recommend", r, flags, around);
  },
};

/** The core's words for the flags that both verbs have. */
async function scenario(flags: ReadonlyMap<string, Value>, around: Surroundings): Promise<Fields> {
  const r: Fields = { output: flags.get("output"), ...(around.color && { color: true }) };
  if (flags.get("clients") || !flags.get("from")) r.clients = flags.get("clients") ?? 0;
  take(r, flags, "capacity", "backlog", "reject-cost", "fd-limit", ["timeout", "timeout_ms"], ["rtt", "rtt_ms"], ["outage", "outage_ms"], ["horizon", "horizon_ms"],
    "others", ["hangs", "outage_hangs"], "drop-syn");
  if (flags.get("seed")) r.seed = flags.get("seed");
  const from = String(flags.get("from") ?? "");
  if (from) {
    r.report = Raw.of(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readAll(from, around)));
    if (!r.report) throw usage("--from", from, "a report of stormlint analyze -o json");
  }
  return r;
}

function list(flags: ReadonlyMap<string, Value>, name: string): readonly string[] {
  return (flags.get(name) as readonly string[] | undefined) ?? [];
}

/** A policy: a SPEC or a JSON object. */
function spec(text: string): unknown {
  return (text.trimStart().startsWith("{") && Raw.of(text)) || text;
}

/** Reads T[:SHARE]. */
function drop(text: string): Fields {
  const [at, share] = text.split(/:(.*)/s);
  const ms = duration(at!);
  const part = share === undefined ? 1 : float(share.replace(/%$/, ""));
  if (typeof ms === "string" || part === undefined) throw usage("--drop", text, "T[:SHARE], such as 30s:50%");
  return { at_ms: ms, ...(share !== undefined && { share: share.endsWith("%") ? part / 100 : part }) };
}

/** Reads RATE[:BURST]. */
function door(text: string): Fields {
  const [first, second] = text.split(/:(.*)/s);
  const rate = float(first!);
  const burst = second === undefined ? 0n : /^[+-]?\d+$/.test(second) ? BigInt(second) : undefined;
  if (rate === undefined || burst === undefined) throw usage("--door", text, "RATE[:BURST], such as 1800:200");
  return { rate, ...(second !== undefined && { burst }) };
}

/** Reads NODES:EVERY:DOWN[:DRAIN]. */
function restart(text: string): Fields {
  const [count, ...spans] = text.split(":");
  const nodes = integer(count!, -(1n << 63n), (1n << 63n) - 1n);
  const ms = spans.map(duration);
  if (nodes === undefined || ms.length < 2 || ms.length > 3 || ms.some((m) => typeof m === "string"))
    throw usage("--restart", text, "NODES:EVERY:DOWN[:DRAIN], such as 10:1m:20s:10s");
  return { nodes, every_ms: ms[0], down_ms: ms[1], ...(ms.length > 2 && { drain_ms: ms[2] }) };
}

/** Runs a stream of the core to its end; on a screen, says how far it is. */
async function answer(kind: "simulate" | "recommend", request: Fields, flags: ReadonlyMap<string, Value>, around: Surroundings): Promise<false> {
  const instance = new Instance(module());
  const handle = instance.open(kind, encode(request));
  for (let next = Date.now() + 500; instance.step(handle, 1 << 20).again; )
    if (around.screen && Date.now() > next) {
      const { progress } = JSON.parse(new TextDecoder().decode(instance.state(handle))) as { progress: number };
      around.stderr(`\rsimulating ${Math.floor(100 * progress)} %\r`);
      next = Date.now() + 100;
    }
  if (around.screen) around.stderr("\x1b[K");
  await around.stdout(instance.finishNow(handle));
  if (flags.get("output") === "json") await around.stdout(utf8("\n"));
  return false;
}
