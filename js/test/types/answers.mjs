// Writes real answers as literals of the declared types: a field that is missing on either side is a compiler's error.
import { readFileSync, writeFileSync } from "node:fs";
import { loadSync } from "../../dist/node.js";

const top = new URL("../../../", import.meta.url);
const log = (name) => readFileSync(new URL(name, top));
const s = loadSync();
const sample = log("host/cmd/stormlint/sample.ndjson");
const answers = {
  Report: [
    s.analyzeSync(sample, { top: 3, capacity: 20, budget: 1000, group_by: "ua", mark: ["2026-11-30T10:30:00Z=deploy"] }),
    s.analyzeSync(log("testdata/tiers/edge-nginx.log"), { top: 2 }),
    s.analyzeSync("[]", {}),
  ],
  CompatReport: [s.analyzeSync(log("host/cmd/stormlint/sample.json"), { compat: true })],
  LintResult: [
    s.lint({ policy: "lib:socket.io-client" }),
    s.lint({ policy: "window:31s", clients: 50_000, capacity: 2000 }),
    s.lint({ runs: [[1000, 2000, 4000, 8000, 16000], [1000, 2000, 4000, 8000, 16000]] }),
    s.lint({ runs: { scenario: "refused", runs: [[1000, 2000], [500, 900]], endings: ["gave-up", "gave-up"] } }),
  ],
  Simulation: [
    s.simulate({ clients: 200, capacity: 50, policy: ["full:1s:30s", "window:8s", "fixed:1s"], others: ["20%:fixed:1s"], outage_ms: 5000 }),
    s.simulate({ clients: 200, capacity: 50, policy: "exp:1s:30s", restart: { nodes: 4, every_ms: 30_000, down_ms: 10_000 } }),
  ],
  Advice: [s.recommend({ clients: 200, capacity: 50 }), s.recommend({ clients: 200, capacity: 50, clients_fixed: "full:1s:30s" })],
  Plan: [s.sniff(sample), s.sniff(log("testdata/tiers/edge-nginx.log"), { tz: "Europe/Berlin", map: ["client=peer"], format: "auto" })],
};
// Long lists of numbers say no more than short ones.
const short = (key, value) => (Array.isArray(value) && value.length > 6 ? value.slice(0, 6) : value);
let text = `// Written by answers.mjs.\nimport type { ${Object.keys(answers).join(", ")} } from "stormlint";\n`;
for (const [type, list] of Object.entries(answers)) for (const [i, answer] of list.entries()) text += `export const ${type}${i}: ${type} = ${JSON.stringify(answer, short, 1)};\n`;
writeFileSync(new URL("answers.generated.ts", import.meta.url), text);
