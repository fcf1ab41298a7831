// Arrivals over time: a picture to move in, and the same as a table and a sentence.
import { bulk } from "../chart/bulk.js";
import { drawArrivals, plot, type Scene } from "../chart/draw-arrivals.js";
import { gestures } from "../chart/gestures.js";
import { Levels, type Level, type Series, widened } from "../chart/levels.js";
import { Span } from "../chart/window.js";
import { fill, h } from "../dom.js";
import { clock, count, day, decimal, period, span as spell } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import { overview } from "./overview.js";
import type { Report } from "../../src/report.js";

/** How many waves are offered at first, the tallest. */
const few = 6;

/** The section. */
export class Arrivals {
  readonly element = h("section", { class: "arrivals" });
  private readonly report: Report;
  private readonly levels: Levels;
  private readonly span: Span;
  private readonly scene: Scene;
  private readonly canvas = h("canvas", { class: "chart", "aria-hidden": "true" });
  private readonly stage = h("div", { class: "stage", tabindex: 0, role: "application" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly summary = h("p", { class: "summary", role: "status" });
  private readonly rows = h("tbody");
  private readonly outside = h("p", { class: "hint", hidden: true });
  private readonly strip;
  private readonly table = h("details", { class: "as-table" });
  private readonly stop: (() => void)[] = [];
  private frame = 0;
  private later = 0;
  private shown: Level | undefined;
  private far = 0; // events that the first view leaves out
  private seen: [number, number] | undefined; // that view, until somebody moves

  constructor(report: Report, capacity: number | undefined, series: Series) {
    this.report = report;
    this.levels = new Levels(report.arrivals, report.input.resolution_ms, series, () => {
      this.approach();
      this.change();
    });
    const [from, to] = this.levels.range;
    this.span = new Span(from, to, Math.max(this.levels.narrowest * 20, 2000));
    this.seen = [from, to];
    this.approach();
    this.strip = overview(report.arrivals, this.span, () => this.change());
    this.scene = {
      waves: report.fleet.waves.map((w) => ({ from: Date.parse(w.at), to: Date.parse(w.at) + w.width_ms })),
      drops: report.fleet.mass_drops.map((d) => Date.parse(d.at)),
      marks: report.marks.map((m) => ({ at: Date.parse(m.at), label: m.label })),
      capacity: capacity ?? report.fleet.capacity_seen ?? undefined,
      seen: capacity === undefined,
      words: { capacity: "", height: "" },
      hover: undefined,
    };
  }

  // Goes to where nearly all events are, step by step as finer counts arrive.
  private approach(): void {
    const { from, to } = this.span;
    if (!this.seen || from !== this.seen[0] || to !== this.seen[1]) {
      this.seen = undefined;
      return;
    }
    const b = bulk(this.levels.best(from, to, 1000), from, to);
    if (!b || (b.outside === 0 && (this.far === 0 || (b.to - b.from) * 2 > to - from))) return;
    this.far += b.outside;
    const pad = (b.to - b.from) / 20;
    this.span.show(b.from - pad, b.to + pad);
    this.seen = [this.span.from, this.span.to];
  }

  /** Draws the section in the language of the moment. */
  draw(): void {
    const c = this.scene.capacity;
    if (c !== undefined) this.scene.words.capacity = t(this.scene.seen ? "chart.seen" : "chart.capacity", { n: decimal(c) });
    this.stage.setAttribute("aria-label", t("chart.keys"));
    for (const sign of ["pointerenter", "focus"]) this.stage.addEventListener(sign, () => this.levels.prepare());
    fill(this.stage, this.canvas, this.tip);
    const act = (word: "left" | "right" | "in" | "out" | "whole", sign: string, go: () => void) => h("button", { type: "button", class: "icon", "aria-label": t(`chart.${word}`), title: t(`chart.${word}`), onclick: () => {
      go();
      this.change();
    } }, sign);
    fill(this.table, h("summary", null, t("chart.table")), h("div", { class: "scroll short", tabindex: 0, role: "region", "aria-label": t("chart.table") }, h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("chart.from")), ...(["attempts", "opens", "closes"] as const).map((w) => h("th", { scope: "col", class: "n" }, t(`chart.${w}`))))), this.rows)));
    this.table.ontoggle = () => this.tell();
    fill(this.element,
      h("div", { class: "heading" }, h("h2", null, t("nav.arrivals")),
        h("div", { class: "buttons" }, act("left", "←", () => this.span.pan(-0.4)), act("right", "→", () => this.span.pan(0.4)), act("out", "−", () => this.span.zoom(2)), act("in", "+", () => this.span.zoom(0.5)),
          h("button", { type: "button", class: "small", onclick: () => {
            this.span.reset();
            this.change();
          } }, t("chart.whole")))),
      this.waves(),
      h("ul", { class: "legend" }, (["attempts", "opens", "closes"] as const).map((w) => h("li", { class: w }, t(`chart.${w}`))), this.scene.waves.length > 0 && h("li", { class: "waves" }, t("chart.wave")), this.scene.drops.length > 0 && h("li", { class: "drops" }, t("chart.drop"))),
      this.stage, this.strip.element, this.summary, this.outside, this.table);
    for (const s of this.stop.splice(0)) s();
    const layout = () => plot(this.canvas.clientWidth, this.canvas.clientHeight);
    this.stop.push(gestures(this.stage, this.span, { left: () => layout().left, right: () => layout().right }, () => this.change(), (at, x) => this.over(at, x)));
    const size = new ResizeObserver(() => this.change());
    size.observe(this.stage);
    this.stop.push(() => size.disconnect(), this.strip.listen());
    this.change();
  }

  // The waves as places to go to.
  private waves(): HTMLElement | false {
    const list = this.report.fleet.waves;
    if (list.length === 0) return false;
    const tallest = [...list].sort((a, b) => b.peak_per_s - a.peak_per_s);
    const chips = (n: number) => tallest.slice(0, n).sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).map((w) => h("button", { type: "button", class: "chip", onclick: () => {
      const at = Date.parse(w.at);
      const pad = Math.max(w.width_ms, 2000);
      this.span.show(at - pad, at + w.width_ms + pad);
      this.change();
    } }, t("chart.wave.at", { at: clock(w.at), n: w.clients })));
    const box = h("div", { class: "goto", role: "group", "aria-label": t("chart.goto") });
    const label = h("span", { class: "hint", "aria-hidden": "true" }, t("chart.goto"));
    fill(box, label, chips(few), list.length > few && h("button", { type: "button", class: "chip", onclick: () => {
      fill(box, label, chips(list.length));
      box.querySelector("button")!.focus();
    } }, t("chart.waves.all", { n: list.length })));
    return box;
  }

  /** Draws the next frame. */
  change(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const bars = Math.max(40, Math.floor((width - 60) / 5));
    const { from, to } = this.span;
    const level = this.levels.best(from, to, bars);
    const bin = Math.max(this.levels.bin(to - from, bars), level.bin);
    this.shown = widened(level, from, to, bin);
    this.scene.words.height = t("chart.height", { bin: spell(this.shown.bin) });
    drawArrivals(this.canvas, this.shown, from, to, this.scene);
    this.strip.paint();
    clearTimeout(this.later);
    this.later = window.setTimeout(() => this.tell(), 250);
  }

  private over(at: number | undefined, x: number): void {
    const l = this.shown;
    const i = at === undefined || !l ? -1 : Math.floor((at - l.from) / l.bin);
    if (!l || i < 0 || i >= l.attempts.length) {
      this.tip.hidden = true;
      if (this.scene.hover !== undefined) {
        this.scene.hover = undefined;
        this.change();
      }
      return;
    }
    const start = l.from + i * l.bin;
    if (this.scene.hover !== start) {
      this.scene.hover = start;
      this.change();
      fill(this.tip, h("strong", null, `${clock(start, l.bin < 1000)} UTC`), h("span", null, t("chart.tip", { attempts: l.attempts[i]!, opens: l.opens[i]!, closes: l.closes[i]!, bin: spell(l.bin) })));
      this.tip.hidden = false;
    }
    const room = this.canvas.clientWidth - this.tip.offsetWidth - 8;
    this.tip.style.transform = `translateX(${Math.max(4, Math.min(x + 12, room))}px)`;
  }

  // The view as a sentence and a table, once it has come to rest.
  private tell(): void {
    const l = this.shown;
    if (!l) return;
    const { from, to } = this.span;
    const sum = (values: number[]) => values.reduce((n, v, i) => (l.from + i * l.bin >= from - l.bin && l.from + i * l.bin < to ? n + v : n), 0);
    let top = 0;
    l.attempts.forEach((v, i) => (v > l.attempts[top]! ? (top = i) : 0));
    const dates = day(from) === day(to) ? "" : `${day(from)} `;
    const quiet = sum(l.attempts) + sum(l.opens) + sum(l.closes) === 0;
    this.summary.textContent = t(quiet ? "chart.summary.none" : "chart.summary", {
      from: dates + clock(from, to - from < 10_000), to: (dates ? `${day(to)} ` : "") + clock(to, to - from < 10_000), attempts: sum(l.attempts), opens: sum(l.opens), closes: sum(l.closes),
      most: l.attempts[top] ?? 0, at: moment(l.from + top * l.bin, l.bin), bin: spell(l.bin),
    });
    this.outside.hidden = this.far === 0;
    if (this.far > 0) this.outside.textContent = t("chart.outside", { n: this.far, period: period(this.report.input.from ?? "", this.report.input.to ?? "") });
    if (!this.table.open) return;
    const per = Math.max(1, Math.ceil(l.attempts.length / 60));
    const wide = per === 1 ? l : widened(l, l.from, l.to, l.bin * per);
    fill(this.rows, wide.attempts.map((v, i) => h("tr", null, h("th", { scope: "row" }, moment(wide.from + i * wide.bin, wide.bin)), h("td", { class: "n" }, count(v)), h("td", { class: "n" }, count(wide.opens[i]!)), h("td", { class: "n" }, count(wide.closes[i]!)))));
  }

  /** Draws in the colours of the moment. */
  repaint(): void {
    this.strip.forget();
    this.change();
  }

  /** Lets go of listeners. */
  leave(): void {
    for (const s of this.stop.splice(0)) s();
    clearTimeout(this.later);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}

// The beginning of a bin: of a long one its date.
function moment(at: number, bin: number): string {
  return bin >= 86_400_000 ? day(at) : clock(at, bin < 1000);
}
