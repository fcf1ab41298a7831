import { StormlintError, load, loadSync, type Analyzer, type Report, type Stormlint } from "stormlint";

const s: Stormlint = await load();
const report: Report = await s.analyze(new Blob([""]), { path: ["/ws"], top: 3 });
const n: number = report.input.records;
const jitter: boolean | null | undefined = report.clients[0]?.has_jitter;
const a: Analyzer = s.analyzer();
a.write("line\n");
const state: Uint8Array = a.state();
(await s.analyze("[]", { compat: true })).analyzed_clients[0]?.risk_level satisfies "LOW" | "MEDIUM" | "HIGH" | "CRITICAL" | undefined;
loadSync(new Uint8Array()).lint({ policy: "full:1s:30s" }).findings.map((f) => f.severity);
const many = await s.analyzeFiles([new Blob([""]), { path: "a.log" }, { input: "text", name: "b" }], { workers: 2, progress: (p) => p.bytes / p.total });
many.report.totals;
(await s.analyzeFiles(["[]"], { compat: true })).report.analyzed_clients.length satisfies number;
const e = new StormlintError("bad-value", "text");
const code: string = e.code;
// @ts-expect-error: a number cannot be analysed
s.analyze(3);
// @ts-expect-error: a key that is none
s.analyze("", { key: "shoe size" });
export { code, jitter, n, state };
