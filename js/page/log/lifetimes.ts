// How long sessions lived: many of one length are a timeout's.
import { h } from "../dom.js";
import { count, percent, span } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import type { Report } from "../../src/report.js";

/** The section, where any session was seen to end. */
export function lifetimes(r: Report): HTMLElement | undefined {
  const l = r.lifetimes;
  const total = l.sessions.reduce((n, v) => n + v, 0);
  if (total === 0) return undefined;
  const first = l.sessions.findIndex((v) => v > 0);
  const most = Math.max(...l.sessions);
  const peak = l.sessions.indexOf(most);
  const range = (i: number) => (i === 0 ? t("lives.under", { time: span(1000) }) : t("lives.between", { from: span(l.under_ms[i]! / 2), to: span(l.under_ms[i]!) }));
  return h("section", null, h("h2", null, t("nav.lives")),
    h("p", null, t("lives.most", { share: percent(most / total), range: range(peak) })),
    h("table", { class: "hist" }, h("caption", { class: "unseen" }, t("nav.lives")),
      h("thead", { class: "unseen" }, h("tr", null, h("th", { scope: "col" }, t("lives.length")), h("th", { scope: "col" }, t("lives.sessions")))),
      h("tbody", null, l.sessions.map((v, i) => {
        if (i < first) return null;
        const bar = h("span", { class: "hist-bar", "aria-hidden": "true" });
        bar.style.inlineSize = `${(100 * v) / most}%`;
        return h("tr", null, h("th", { scope: "row" }, range(i)), h("td", null, h("span", { class: "hist-box" }, bar), h("span", { class: "hist-n" }, count(v))));
      }))));
}
