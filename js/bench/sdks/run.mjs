// Runs real libraries through the test kit at their defaults and prints the table library × findings × expected.
//
//   node run.mjs [NAME…]      exits 1 when a library has a finding at medium or above that is not expected, or lacks one
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { clients } from "./clients.mjs";

const run = promisify(execFile);
const order = ["info", "low", "medium", "high", "critical"];
const chosen = clients.filter((c) => process.argv.length < 3 || process.argv.includes(c.name));
let wrong = 0;
console.log(`${"library".padEnd(34)}${"s".padStart(5)}  findings at medium and above`);
for (const client of chosen) {
  const version = JSON.parse(readFileSync(new URL(`node_modules/${client.name}/package.json`, import.meta.url))).version;
  let findings, took;
  try {
    const { stdout } = await run(process.execPath, ["one.mjs", client.name], { cwd: import.meta.dirname ?? new URL(".", import.meta.url).pathname, timeout: 120_000, maxBuffer: 1 << 26 });
    ({ findings, took } = JSON.parse(stdout));
  } catch (error) {
    wrong++;
    console.log(`${`${client.name} ${version}`.padEnd(34)}${"".padStart(5)}  FAILED: ${String(error.stderr || error.message).split("\n").slice(-4).join(" | ").slice(0, 300)}`);
    continue;
  }
  const found = findings.filter((f) => order.indexOf(f.severity) >= 2).map((f) => f.rule).sort();
  const missing = client.expect.filter((r) => !found.includes(r));
  const extra = found.filter((r) => !client.expect.includes(r));
  if (missing.length || extra.length) wrong++;
  const verdict = missing.length || extra.length ? `  MISSING ${missing.join(" ") || "-"}  NOT EXPECTED ${extra.join(" ") || "-"}` : "";
  console.log(`${`${client.name} ${version}`.padEnd(34)}${(took / 1000).toFixed(1).padStart(5)}  ${found.join(" ") || "none"}${verdict}`);
}
console.log(`\n${chosen.length} libraries, ${wrong} not as expected`);
process.exit(wrong ? 1 : 0);
