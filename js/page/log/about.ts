// What was read, what was skipped and why, and what such a log cannot show.
import { foreign, h } from "../dom.js";
import { count, percent } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import { phrase } from "../i18n/phrase.js";
import type { ReportNeeds } from "./needs.js";

/** The section. */
export function about(n: ReportNeeds): HTMLElement {
  const r = n.report;
  const title = (name: string) => phrase(n.catalogue.formats.find((f) => f.name === name)?.title ?? name);
  const i = r.input;
  const skipped = i.skipped.reduce((n, s) => n + s.count, 0);
  const parts: [string, number, string][] = [["used", i.used, t("about.used")], ["ignored", i.ignored, t("about.ignored")], ["skipped", skipped, t("about.skipped")]];
  return h("section", null, h("h2", null, t("nav.about")),
    h("p", null, t("about.records", { n: i.records, formats: i.formats.map(title).join(t("list.comma")) || "–" })),
    h("div", { class: "stack", "aria-hidden": "true" }, parts.filter(([, n]) => n > 0).map(([word, n]) => {
      const part = h("span", { class: word });
      part.style.flexGrow = String(n);
      return part;
    })),
    h("ul", { class: "legend" }, parts.filter(([, n]) => n > 0).map(([word, n, label]) => h("li", { class: word }, t("about.share", { label, n, share: percent(n / Math.max(i.records, 1)) })))),
    i.sources.length > 1 && h("ul", { class: "plain" }, i.sources.map((s) => h("li", null, foreign(s.name, 120), `: ${title(s.format)}, ${t("about.source", { n: s.records })}`))),
    i.skipped.length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("about.skipped.title") }, h("table", null,
      h("caption", null, t("about.skipped.title")),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("about.reason")), h("th", { scope: "col", class: "n" }, t("about.count")), h("th", { scope: "col" }, t("about.first")), h("th", { scope: "col" }, t("about.sample")))),
      h("tbody", null, i.skipped.map((s) => h("tr", null, h("th", { scope: "row" }, phrase(s.reason)), h("td", { class: "n" }, count(s.count)), h("td", null, foreign(s.source, 60), `:${count(s.first_record)}`), h("td", { class: "line" }, h("code", null, foreign(s.sample, 300)))))),
    )),
    (r.totals.duplicates > 0 || r.totals.outside_range > 0 || r.totals.nameless > 0) && h("ul", { class: "plain" },
      r.totals.duplicates > 0 && h("li", null, t("about.duplicates", { n: r.totals.duplicates })),
      r.totals.outside_range > 0 && h("li", null, t("about.outside", { n: r.totals.outside_range })),
      r.totals.nameless > 0 && h("li", null, t("about.nameless", { n: r.totals.nameless }))),
    h("h3", null, t("about.blind")),
    r.blind_spots.length > 0 ? h("ul", { class: "blind" }, r.blind_spots.map((b) => h("li", null, phrase(b)))) : h("p", null, t("about.blind.none")),
  );
}
