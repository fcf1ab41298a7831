// One question to each part of the package; the answer is the same wherever it runs.
export async function check(s, log, more = {}) {
  const report = await s.analyze(log, more);
  const { findings } = s.lint({ policy: "exp:1s:30s" });
  const advice = s.recommend({ clients: 100, capacity: 50 });
  return `${s.version}: ${report.totals.attempts} attempts, ${findings.map((f) => f.rule).join(" ")}, ${advice.policy}, ${s.delays("full:1s:30s", 3).join(" ")}`;
}
