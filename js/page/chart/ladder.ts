// Waits by attempt: a dot where they are single, a bar from the shortest to the longest where they are drawn.
import { h } from "../dom.js";
import { count, span } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import { s } from "./svg.js";

/** One attempt's wait, in ms. */
export interface Rung {
  attempt: number;
  low: number;
  high: number;
  mean: number;
}

/** The picture, with the same as a table. */
export function ladder(rungs: Rung[], title: string): HTMLElement {
  // On a small screen a smaller picture, so that its letters keep their size.
  const [width, height, left, bottom, top] = [innerWidth < 480 ? 320 : 560, 190, innerWidth < 480 ? 46 : 56, 26, 10];
  const tallest = Math.max(...rungs.map((r) => r.high), 1);
  // Waits span from ms to minutes: the axis is a root, which shows both ends and begins at 0.
  const y = (ms: number) => height - bottom - Math.sqrt(ms / tallest) * (height - bottom - top);
  const wide = (width - left - 8) / rungs.length;
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "ladder", "aria-hidden": "true" });
  for (const share of [0, 0.0625, 0.25, 0.5625, 1]) {
    const v = Number((share * tallest).toPrecision(share === 1 ? 3 : 1));
    svg.append(s("line", { x1: left, x2: width - 4, y1: y(v), y2: y(v), class: "grid" }), s("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, span(v)));
  }
  const every = Math.ceil(rungs.length / (width < 480 ? 8 : 12));
  rungs.forEach((r, i) => {
    const x = left + (i + 0.5) * wide;
    const w = Math.max(2, Math.min(wide * 0.6, 18));
    if (r.high - r.low > tallest * 1e-4) {
      svg.append(s("rect", { x: x - w / 2, y: y(r.high), width: w, height: Math.max(y(r.low) - y(r.high), 2), rx: 2, class: "range" }));
      svg.append(s("line", { x1: x - w / 2, x2: x + w / 2, y1: y(r.mean), y2: y(r.mean), class: "mean" }));
    } else svg.append(s("line", { x1: x, x2: x, y1: height - bottom, y2: y(r.mean), class: "stem" }), s("circle", { cx: x, cy: y(r.mean), r: Math.min(4, w / 2 + 1.5), class: "dot" }));
    if (i % every === 0) svg.append(s("text", { x, y: height - 8, "text-anchor": "middle" }, String(r.attempt)));
  });
  const drawn = rungs.some((r) => r.high !== r.low);
  return h("figure", null, svg, h("figcaption", null, t("ladder.axis")),
    h("details", { class: "as-table" }, h("summary", null, t("chart.table")), h("div", { class: "scroll short", tabindex: 0, role: "region", "aria-label": title }, h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("ladder.attempt")), drawn ? [h("th", { scope: "col", class: "n" }, t("ladder.low")), h("th", { scope: "col", class: "n" }, t("ladder.mean")), h("th", { scope: "col", class: "n" }, t("ladder.high"))] : h("th", { scope: "col", class: "n" }, t("ladder.wait")))),
      h("tbody", null, rungs.map((r) => h("tr", null, h("th", { scope: "row" }, count(r.attempt)), drawn ? [r.low, r.mean, r.high].map((v) => h("td", { class: "n" }, span(v))) : h("td", { class: "n" }, span(r.mean)))))))));
}
