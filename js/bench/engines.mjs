// How fast one file is analysed natively, in wazero and in Node: MB a second of CPU time, and the ratio to native.
//
//	node js/bench/engines.mjs FILE [ROUNDS [--compat]]
//
// One thread each. The three run in turn, so that neighbours slow all of them alike; medians are printed. CPU time is user and system of the
// whole process less that of an empty run, for the command line, and of the analysis for Node.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { loadSync } from "stormlint";

const [file, rounds = "5", only] = process.argv.slice(2);
const cli = join(dirname(fileURLToPath(import.meta.url)), "../../bin/stormlint");
const mb = statSync(file).size / 1e6;
const s = loadSync();
const bytes = readFileSync(file);

function cpu(args) {
  const script = `TIMEFORMAT='%U %S'; time "$0" "$@" >/dev/null`;
  const out = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, cli, ...args], { encoding: "utf8" });
  const [user, system] = out.trim().split("\n").pop().split(" ").map(Number);
  return user + system;
}

function own(options) {
  const before = process.cpuUsage();
  const a = s.analyzer(options);
  a.write(bytes);
  a.finishRaw();
  a.close();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1e6;
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
console.log(`${mb.toFixed(0)} MB, ${rounds} rounds; MB per second of CPU time, ratio to native`);
const kinds = [
  ["--compat", ["--compat"], { compat: true }],
  ["the normal report", ["-o", "json"], {}],
];
for (const [kind, args, options] of only ? kinds.slice(0, 1) : kinds) {
  const times = { native: [], wazero: [], Node: [] };
  for (let i = 0; i < Number(rounds); i++) {
    for (const [name, engine] of [["native", "native"], ["wazero", "wasm"]]) {
      const idle = cpu(["--engine", engine, "version", "-o", "json"]);
      times[name].push(cpu(["--engine", engine, "analyze", "--parallel", "1", ...args, file]) - idle);
    }
    times.Node.push(own(options));
  }
  const native = mb / median(times.native);
  for (const [name, list] of Object.entries(times)) {
    const rate = mb / median(list);
    console.log(`${kind.padEnd(18)} ${name.padEnd(8)} ${rate.toFixed(0).padStart(6)} MB/s ${(rate / native).toFixed(2)}`);
  }
}
