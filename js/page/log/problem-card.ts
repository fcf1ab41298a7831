// A problem as a card: what happened, what to do, and, for a log of an unknown form, its first lines.
import { foreign, h } from "../dom.js";
import { t } from "../i18n/index.js";
import type { Problem } from "../problem.js";
import type { Look } from "./look.js";

/** Makes the card. */
export function problemCard(p: Problem, level: "h1" | "h2", look?: Look, again?: () => void): HTMLElement {
  return h("section", { class: "card problem", role: "alert" },
    h(level, { class: "small" }, p.title), h("p", null, p.todo),
    look && look.records.length > 0 && [
      h("p", null, t("unknown.lines")),
      h("ol", { class: "samples" }, look.records.slice(0, 5).map((r) => h("li", null, h("code", null, foreign(r.sample, 300))))),
      h("p", null, t("unknown.how")),
    ],
    p.detail && !p.unknown && p.settings && h("p", { class: "detail", lang: "en" }, foreign(p.detail, 600)),
    p.detail && !(p.settings && !p.unknown) && h("details", null, h("summary", null, t("problem.words")), h("p", { class: "detail", lang: "en" }, foreign(p.detail, 600))),
    again && !p.settings && h("div", { class: "row" }, h("button", { type: "button", onclick: again }, t("again"))),
  );
}
