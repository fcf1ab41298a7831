// What was found: each finding with its evidence, the lines it rests on, and what to do.
import { fill, foreign, h } from "../dom.js";
import { t } from "../i18n/index.js";
import type { ReportNeeds } from "./needs.js";
import type { Finding } from "../../src/report.js";
import { sourceLines } from "./source-lines.js";
import { advice, figure, label, message, severity, subject } from "./wording.js";

/** The section. */
export function findings(n: ReportNeeds, client: (key: string) => void): HTMLElement | undefined {
  const list = n.report.findings;
  if (list.length === 0) return undefined;
  const levels = ["critical", "high", "medium", "low", "info"].map((s) => [s, list.filter((f) => f.severity === s).length] as const).filter(([, k]) => k > 0);
  const body = h("div", { class: "findings" });
  const more = h("button", { type: "button", class: "quiet" });
  const few = 6;
  const draw = (all: boolean) => {
    fill(body, (all ? list : list.slice(0, few)).map((f) => card(f, n, client)));
    more.hidden = all || list.length <= few;
    more.textContent = t("findings.more", { n: list.length - few });
  };
  more.addEventListener("click", () => {
    draw(true);
    body.children[few]?.querySelector<HTMLElement>("summary, button")?.focus();
  });
  draw(false);
  return h("section", null, h("div", { class: "heading" }, h("h2", null, t("nav.findings")), h("p", { class: "levels" }, levels.map(([s, k]) => h("span", { class: `level ${s}` }, `${k} ${severity(s)}`)))), body, more);
}

/** One finding as a card. */
export function card(f: Finding, n: ReportNeeds, client?: (key: string) => void): HTMLElement {
  const rule = n.catalogue.rule(f.rule);
  const evidence = Object.entries(f.evidence).filter(([k, v]) => k !== "records" && v !== "" && v !== null);
  const records = Array.isArray(f.evidence.records) ? (f.evidence.records as string[]) : [];
  const policy = typeof f.evidence.policy === "string" ? f.evidence.policy : "";
  const gravest = typeof f.evidence.gravest === "string" ? f.evidence.gravest : "";
  return h("article", { class: `finding ${f.severity}` },
    h("header", null, h("span", { class: `badge ${f.severity}` }, severity(f.severity)), h("h3", null, rule?.title ?? f.rule), h("span", { class: "who" }, foreign(subject(f), 120))),
    h("p", null, foreign(message(f), 600)),
    f.advice && h("p", { class: "advice" }, h("strong", null, t("advice")), " ", advice(f)),
    h("details", null, h("summary", null, t("evidence")),
      evidence.length > 0 && h("dl", { class: "evidence" }, evidence.map(([k, v]) => h("div", null, h("dt", null, label(k)), h("dd", null, foreign(figure(k, v), 200))))),
      rule && h("p", { class: "lesson" }, rule.lesson),
      h("p", { class: "hint" }, t("rule"), " ", h("code", null, f.rule)),
      h("div", { class: "row" },
        gravest && client && h("button", { type: "button", class: "quiet", onclick: () => client(gravest) }, t("client.gravest")),
        policy && h("button", { type: "button", class: "quiet", onclick: () => n.workbench(policy, n.report.totals.clients, Number(n.settings.capacity) || undefined) }, t("to.workbench")),
        records.length > 0 && sourceLines(n, records),
      ),
    ),
  );
}
