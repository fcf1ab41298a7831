// One client in full: how it waited, how long its sessions lived, and what is wrong with it.
import { ladder } from "../chart/ladder.js";
import { foreign, h } from "../dom.js";
import { clock, count, day, decimal, span } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import { card } from "./findings.js";
import type { ReportNeeds } from "./needs.js";
import type { Client } from "../../src/report.js";

/** Opens the dialog; the focus goes back to where it was when it is closed. */
export function clientDialog(c: Client, n: ReportNeeds): void {
  const back = document.activeElement as HTMLElement | null;
  const risk = c.risk_level;
  const close = h("button", { type: "button", class: "icon", "aria-label": t("close"), onclick: () => dialog.close() }, "×");
  const figures: [string, string][] = [
    [t("col.attempts"), count(c.attempts)], [t("col.refused"), count(c.refused)], [t("col.sessions"), count(c.sessions)], [t("client.aborted"), count(c.aborted)],
    [t("col.peak"), count(c.peak_per_min)], [t("client.parallel"), count(c.max_parallel)],
  ];
  const wait = c.delays.n > 0 && c.delays.mean_ms !== null
    ? t(span(c.delays.min_ms ?? 0) === span(c.delays.max_ms ?? 0) ? "client.waits.same" : "client.waits", { n: c.delays.n, min: span(c.delays.min_ms ?? 0), max: span(c.delays.max_ms ?? 0), mean: span(c.delays.mean_ms) }) : t("client.waits.none");
  const lives = c.lifetimes.n > 0 && c.lifetimes.mean_ms !== null
    ? t("client.lives", { n: c.lifetimes.n, mean: span(c.lifetimes.mean_ms) }) + (c.lifetimes.cv === null || c.lifetimes.n < 2 ? "" : " " + t(c.lifetimes.cv < 0.05 ? "client.lives.equal" : "client.lives.uneven", { cv: decimal(c.lifetimes.cv) })) : t("client.lives.none");
  const policy = c.schedule?.policy;
  const dialog = h("dialog", { class: "client", "aria-labelledby": "client-title", onclose: () => {
    dialog.remove();
    back?.focus({ preventScroll: true });
  }, onclick: (e: Event) => {
    if (e.target === dialog) dialog.close();
  } },
    h("div", { class: "inside" },
      h("header", null, h("div", null, h("p", { class: "kicker" }, t("client")), h("h2", { id: "client-title" }, foreign(c.client, 120))), h("span", { class: `risk ${risk.toLowerCase()}` }, t(`risk.${risk}`)), close),
      c.user_agents.some(Boolean) && h("p", { class: "agents" }, c.user_agents.filter(Boolean).slice(0, 8).map((ua, i) => [i > 0 && h("br"), foreign(ua, 200)])),
      c.first && c.last && h("p", { class: "hint" }, t("client.seen", { from: `${day(c.first)} ${clock(c.first)}`, to: `${day(c.last) === day(c.first) ? "" : day(c.last) + " "}${clock(c.last)}` })),
      h("dl", { class: "tiles small" }, figures.map(([k, v]) => h("div", null, h("dt", null, k), h("dd", null, v)))),
      h("h3", null, t("client.ladder")),
      h("p", null, wait, c.schedule ? ` ${t(`client.schedule.${c.schedule.verdict}`)}` : ""),
      policy && h("p", { class: "of-policy" }, h("code", { class: "policy" }, policy), h("button", { type: "button", class: "quiet", onclick: () => {
        dialog.close();
        n.workbench(policy, n.report.totals.clients, Number(n.settings.capacity) || undefined);
      } }, t("to.workbench"))),
      c.waits.length > 0 && ladder(c.waits.map((w) => ({ attempt: w.attempt, low: w.ms, high: w.ms, mean: w.ms })), t("client.ladder")),
      h("h3", null, t("nav.lives")), h("p", null, lives),
      c.events_beyond_limit > 0 && h("p", { class: "note" }, t("client.beyond", { n: c.events_beyond_limit })),
      c.findings.length > 0 && [h("h3", null, t("nav.findings")), h("div", { class: "findings" }, c.findings.map((f) => card({ ...f, subject: c.client }, { ...n, workbench: (...a) => {
        dialog.close();
        n.workbench(...a);
      } })))],
    ));
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
