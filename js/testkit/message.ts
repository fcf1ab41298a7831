import type { Finding, Step, Verdict } from "./verdict.js";

/** What a failing test prints: plain words first, then rule, evidence and fix, then the schedule as a small table. */
export function explain(verdict: Verdict, failing: readonly Finding[]): string {
  const lines: string[] = [];
  for (const f of failing) {
    lines.push(`${f.severity}: ${f.message}`);
    lines.push(`  rule      ${f.rule}${f.subject ? `, seen in ${f.subject}` : ""}`);
    const evidence = Object.entries(f.evidence).map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
    if (evidence.length > 0) lines.push(`  evidence  ${evidence.join(", ")}`);
    if (f.advice) lines.push(`  fix       ${f.advice}`);
    lines.push("");
  }
  lines.push(...table(verdict.result.envelope));
  for (const warning of verdict.result.warnings) lines.push(`warning: ${warning}`);
  if (verdict.reproduce) lines.push(`repeat it: ${verdict.reproduce}`);
  return lines.join("\n").trimEnd();
}

/** The first attempts of the envelope, aligned. */
function table(envelope: readonly Step[]): string[] {
  if (envelope.length === 0) return [];
  const rows = [
    ["attempt", "shortest", "longest", "spread", "apart", "on one value"],
    ...envelope.slice(0, 8).map((s) => [String(s.attempt), span(s.min_ms), span(s.max_ms), s.spread.toFixed(2), span(s.arrival_spread_ms), s.point_mass ? `${Math.round(100 * s.point_mass)} %` : ""]),
  ];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((r) => r[i]!.length)));
  return [...rows.map((r) => r.map((cell, i) => cell.padStart(widths[i]!)).join("  ").trimEnd()), ""];
}

function span(ms: number): string {
  if (ms < 1000) return `${Number(ms.toPrecision(3))} ms`;
  if (ms < 120_000) return `${Number((ms / 1000).toPrecision(3))} s`;
  return `${Number((ms / 60_000).toPrecision(3))} min`;
}
