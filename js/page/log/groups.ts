// Who they are: clients by SDK and version, or by what was asked for.
import { foreign, h } from "../dom.js";
import { count, percent } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import type { ReportNeeds } from "./needs.js";
import { scheduleText } from "./schedule.js";

/** The section, where there is more than one nameless group. */
export function groups(n: ReportNeeds): HTMLElement | undefined {
  const list = n.report.groups;
  if (list.length === 0 || (list.length === 1 && list[0]!.group === "")) return undefined;
  const most = Math.max(...list.map((g) => g.share));
  const danger = (g: (typeof list)[number]) => g.clients_by_risk.HIGH + g.clients_by_risk.CRITICAL;
  return h("section", null, h("h2", null, t("nav.groups")), h("p", { class: "hint" }, t("groups.hint")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("nav.groups") }, h("table", { class: "groups" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("group")), ...(["clients", "attempts", "share", "refused", "danger"] as const).map((w) => h("th", { scope: "col", class: "n" }, t(`col.${w}`))), h("th", { scope: "col" }, t("col.waits")), h("th", { scope: "col" }, t("col.found")))),
      h("tbody", null, list.slice(0, 50).map((g) => {
        const bar = h("span", { class: "bar-fill" });
        bar.style.inlineSize = `${(100 * g.share) / most}%`;
        return h("tr", null,
          h("th", { scope: "row" }, g.group ? foreign(g.group, 80) : t("group.none")),
          h("td", { class: "n" }, count(g.clients)), h("td", { class: "n" }, count(g.attempts)), h("td", { class: "n share" }, h("span", { class: "bar-box", "aria-hidden": "true" }, bar), percent(g.share)),
          h("td", { class: "n" }, g.refused ? count(g.refused) : "–"), h("td", { class: `n ${danger(g) ? "danger" : ""}` }, danger(g) ? count(danger(g)) : "–"),
          h("td", null, scheduleText(g.schedule) || "–"),
          h("td", null, [...new Set(g.findings.map((f) => n.catalogue.rule(f.rule)?.title ?? f.rule))].join(t("list.comma")) || "–"),
        );
      })),
    )),
    list.length > 50 && h("p", { class: "hint" }, t("groups.more", { n: list.length - 50 })),
  );
}
