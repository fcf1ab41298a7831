// Round numbers and round times for axes.

/** A round step so that about n of them fit into span. */
export function step(span: number, n: number): number {
  const raw = span / Math.max(n, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)));
  for (const m of [1, 2, 5, 10]) if (raw <= m * power) return m * power;
  return 10 * power;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute,
  30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 84 * day, 364 * day,
];

/** A readable stretch of time, in ms, not below the given. */
export function timeStep(least: number): number {
  return steps.find((s) => s >= least) ?? 364 * day * Math.ceil(least / (364 * day));
}

/** The instants of an axis from one to another, in ms since 1970, at most about n. */
export function times(from: number, to: number, n: number): { at: number[]; step: number } {
  const s = timeStep((to - from) / Math.max(n, 1));
  const at: number[] = [];
  for (let v = Math.ceil(from / s) * s; v <= to; v += s) at.push(v);
  return { at, step: s };
}

/** The label of an instant on an axis of such steps. */
export function timeLabel(at: number, s: number): string {
  const text = new Date(at).toISOString();
  if (s >= 84 * day) return text.slice(0, 7);
  if (s >= day) return text.slice(5, 10);
  if (at % day === 0) return text.slice(5, 10);
  if (s >= minute) return text.slice(11, 16);
  if (s >= second) return text.slice(11, 19);
  return text.slice(11, s >= 100 ? 21 : 23);
}
