// Several policies side by side: the same fleet, the same server, the same scale.
import { ask } from "../catalogue.js";
import { colours } from "../chart/colours.js";
import { fill, foreign, fresh, h } from "../dom.js";
import { count, decimal, span } from "../i18n/figure.js";
import { t, type Key } from "../i18n/index.js";
import { ofError } from "../problem.js";
import type { Clerk } from "../worker/clerk.js";
import { Told } from "../worker/told.js";
import type { Fleet } from "./needs.js";
import { spec } from "./verdict.js";

interface Result {
  policy: string;
  clients: number;
  recovery: { p50_ms: number | null; last_ms: number | null; recovered: number };
  peak_per_s: number;
  peak_bin_ms: number;
  waste_per_client: number;
  refused: number;
  reason: string;
  arrivals: { bin_ms: number; counts: number[]; opens: number[] };
}

/** The section. */
export interface Comparison {
  element: HTMLElement;
  draw(): void;
  repaint(): void;
  ask(policy: string, f: Fleet): Promise<void>;
}

const most = 3;

/** Makes the section; others is the list of policies besides the chosen one, and is changed in place. */
export function comparison(clerk: Clerk, others: string[], changed: () => void): Comparison {
  const element = h("section", { class: "card compare" });
  const list = h("div", { class: "others" });
  const body = h("div", { class: "results" });
  const state = h("p", { class: "hint", role: "status" });
  let results: Result[] = [];
  let fleet: Fleet = { clients: 0, capacity: 1 };
  let busy = false;
  let turn = 0;

  const fields = () => fill(list, others.map((policy, i) => {
    const id = fresh("other");
    const input = h("input", { id, type: "text", class: "mono", value: policy, spellcheck: "false", autocomplete: "off", oninput: () => {
      others[i] = input.value;
      changed();
    } });
    return h("div", { class: "other" }, h("label", { for: id, class: "unseen" }, t("compare.with", { n: i + 1 })), input, h("button", { type: "button", class: "icon", "aria-label": t("compare.drop", { policy }), onclick: () => {
      others.splice(i, 1);
      fields();
      changed();
    } }, "×"));
  }), others.length < most && h("button", { type: "button", class: "quiet", onclick: () => {
    others.push(["equal:1s:30s", "window:100s", "fixed:1s"].find((p) => !others.includes(p))!);
    fields();
    list.querySelectorAll("input")[others.length - 1]?.focus();
    changed();
  } }, t("compare.add")));

  const show = () => fill(body, results.map((r) => card(r, results, fleet)));
  return {
    element,
    draw() {
      fields();
      fill(element, h("h2", null, t("compare.title")), h("p", { class: "hint" }, t("compare.hint")), h("h3", { class: "minor" }, t("compare.against")), list, state, body);
      show();
    },
    repaint: show,
    async ask(policy, f) {
      const mine = ++turn;
      if (busy) clerk.stop();
      busy = true;
      state.textContent = t("compare.running");
      try {
        const policies = [policy, ...others].map((p) => p.trim()).filter(Boolean).map(spec);
        const list = policies.length === 0 ? [] : (await ask<{ results: Result[] }>(clerk, "simulate", { clients: f.clients, capacity: f.capacity, policy: policies, max_events: 20_000_000 })).results;
        if (mine !== turn) return;
        results = list;
        fleet = { ...f };
        state.textContent = "";
        show();
      } catch (e) {
        if (mine !== turn || (e instanceof Told && e.fault.code === "stopped")) return;
        const p = ofError(e);
        fill(state, p.detail ? h("span", { lang: "en" }, foreign(p.detail, 300)) : `${p.title} ${p.todo}`);
      } finally {
        if (mine === turn) busy = false;
      }
    },
  };
}

// All pictures share their axes: the longest recovery that is worth looking at, and the tallest peak.
function card(r: Result, all: Result[], f: Fleet): HTMLElement {
  const canvas = h("canvas", { class: "small-chart", role: "img", "aria-label": t("compare.picture", { policy: r.policy, peak: decimal(r.peak_per_s), last: r.recovery.last_ms === null ? "–" : span(r.recovery.last_ms) }) });
  const end = Math.max(...all.map((x) => Math.min(x.recovery.last_ms ?? Infinity, x.arrivals.bin_ms * x.arrivals.counts.length)));
  const peak = Math.max(2 * f.capacity, ...all.map((x) => (Math.max(...x.arrivals.counts) * 1000) / x.arrivals.bin_ms));
  requestAnimationFrame(() => draw(canvas, r, end, peak, f.capacity));
  const back = r.recovery.recovered / Math.max(f.clients, 1);
  const figures: [Key, string][] = [
    ["compare.half", r.recovery.p50_ms === null ? "–" : span(r.recovery.p50_ms)], ["compare.last", back < 1 || r.recovery.last_ms === null ? t("compare.never") : span(r.recovery.last_ms)],
    ["compare.peak", `${decimal(r.peak_per_s)}/s (${decimal(r.peak_per_s / f.capacity)}×)`], ["compare.waste", decimal(r.waste_per_client)],
  ];
  const good = back >= 1 && r.peak_per_s <= 1.5 * f.capacity;
  return h("article", { class: `result ${good ? "good" : r.reason === "" ? "" : "bad"}` },
    h("header", null, h("h3", { class: "mono" }, foreign(r.policy, 80)), r.reason && h("span", { class: "tag" }, reason(r.reason))),
    canvas,
    h("dl", { class: "facts" }, figures.map(([k, v]) => h("div", null, h("dt", null, k === "compare.peak" ? t(k, { bin: span(r.peak_bin_ms) }) : t(k)), h("dd", null, v)))),
    back < 1 && h("p", { class: "hint" }, t("compare.back", { n: r.recovery.recovered, all: f.clients })),
  );
}

const reasons = ["reject-collapse", "stale-queue", "locked-waves", "gave-up", "door", "overload", "too-few-attempts", "late-attempts"] as const;

function reason(word: string): string {
  return (reasons as readonly string[]).includes(word) ? t(`reason.${word as (typeof reasons)[number]}`) : word.replaceAll("-", " ");
}

function draw(canvas: HTMLCanvasElement, r: Result, end: number, peak: number, capacity: number): void {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext("2d")!;
  const c = colours(["attempt", "open", "danger", "dim", "line"]);
  g.scale(ratio, ratio);
  g.font = "11px system-ui, sans-serif";
  const base = height - 16;
  const a = r.arrivals;
  const n = Math.max(1, Math.ceil(end / a.bin_ms));
  const rate = (v: number) => (v * 1000) / a.bin_ms;
  // A root, so that the capacity can be seen beside a wave a hundred times as tall.
  const y = (perSecond: number) => base - Math.sqrt(perSecond / peak) * (base - 14);
  const bar = (values: number[], colour: string) => {
    g.fillStyle = colour;
    for (let i = 0; i < Math.min(n, values.length); i++) {
      if (values[i]! === 0) continue;
      const x = (i / n) * width;
      g.fillRect(x, y(rate(values[i]!)), Math.max(width / n - (width / n > 3 ? 0.5 : 0), 1), base - y(rate(values[i]!)));
    }
  };
  bar(a.counts, c.attempt);
  bar(a.opens, c.open);
  g.strokeStyle = c.danger;
  g.setLineDash([6, 4]);
  g.beginPath();
  g.moveTo(0, y(capacity));
  g.lineTo(width, y(capacity));
  g.stroke();
  g.setLineDash([]);
  g.strokeStyle = c.dim;
  g.beginPath();
  g.moveTo(0, base + 0.5);
  g.lineTo(width, base + 0.5);
  g.stroke();
  g.fillStyle = c.dim;
  g.textBaseline = "top";
  g.fillText("0", 0, base + 3);
  g.textAlign = "right";
  g.fillText(span(end), width, base + 3);
  g.textBaseline = "alphabetic";
  g.fillText(t("compare.top", { rate: count(Math.round(peak)), bin: span(a.bin_ms) }), width, 10);
  g.fillStyle = c.danger;
  g.fillText(`${decimal(capacity)}/s`, width, y(capacity) - 4);
}
