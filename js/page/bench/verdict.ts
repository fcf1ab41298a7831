// What the linter says of a schedule, at once, and how its waits spread.
import { ladder } from "../chart/ladder.js";
import { foreign, h, fill } from "../dom.js";
import { t } from "../i18n/index.js";
import { phrase } from "../i18n/phrase.js";
import type { Finding } from "../../src/report.js";
import { advice, message, severity } from "../log/wording.js";
import { ofError } from "../problem.js";
import { ask } from "../catalogue.js";
import type { BenchNeeds, Fleet } from "./needs.js";
import type { Choice } from "./input.js";

interface Lint {
  policy?: string;
  findings: Finding[];
  envelope: { attempt: number; min_ms: number; mean_ms: number; max_ms: number; spread: number; point_mass: number }[];
  warnings: string[];
}

/** The card. */
export interface Verdict {
  element: HTMLElement;
  draw(): void;
  ask(c: Choice, f: Fleet): Promise<void>;
}

/** Makes the card. */
export function verdict(n: BenchNeeds): Verdict {
  const body = h("div", { "aria-live": "polite" });
  const element = h("section", { class: "card verdict" });
  let turn = 0;
  return {
    element,
    draw: () => fill(element, h("h2", null, t("verdict.title")), body),
    async ask(c, f) {
      const mine = ++turn;
      if (c.text.trim() === "") return fill(body, h("p", { class: "hint" }, t("verdict.empty")));
      try {
        await n.catalogue.ready;
        const fleet = { clients: f.clients, capacity: f.capacity };
        const text = c.kind === "delays" ? await ask<Lint>(n.desk, "lint", fleet, new TextEncoder().encode(c.text)) : await ask<Lint>(n.desk, "lint", { policy: spec(c.text), ...fleet });
        if (mine === turn) fill(body, shown(text, n));
      } catch (e) {
        if (mine !== turn) return;
        const p = ofError(e);
        fill(body, h("div", { class: "problem inline" }, h("p", null, h("strong", null, t("verdict.wrong"))), h("p", { class: "detail" }, p.detail ? h("span", { lang: "en" }, foreign(p.detail, 400)) : `${p.title} ${p.todo}`)));
      }
    },
  };
}

/** A policy as the core takes it: a SPEC as text, the JSON form as an object. */
export function spec(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return trimmed;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return trimmed;
  }
}

function shown(r: Lint, n: BenchNeeds): HTMLElement[] {
  const bad = r.findings.filter((f) => f.severity !== "info");
  const grave = bad.filter((f) => f.severity === "high" || f.severity === "critical").length;
  const word = grave > 0 ? "bad" : bad.length > 0 ? "fair" : "good";
  const cap = r.envelope.findIndex((e, i) => i > 2 && r.envelope.slice(i - 2, i + 1).every((x) => x.max_ms === e.max_ms && x.min_ms === e.min_ms));
  const rungs = r.envelope.slice(0, Math.max(8, cap < 0 ? 16 : cap + 2)).map((e) => ({ attempt: e.attempt, low: e.min_ms, high: e.max_ms, mean: e.mean_ms }));
  return [
    h("p", { class: `stamp ${word}` }, t(`verdict.${word}`, { n: word === "bad" ? grave : bad.length })),
    r.findings.length > 0 ? h("ul", { class: "verdicts" }, r.findings.map((f) => h("li", { class: f.severity },
      h("details", { open: f.severity === "critical" || f.severity === "high" ? r.findings.indexOf(f) === 0 : false },
        h("summary", null, h("span", { class: `badge ${f.severity}` }, severity(f.severity)), " ", n.catalogue.rule(f.rule)?.title ?? f.rule),
        h("p", null, foreign(message(f), 500)), f.advice && h("p", { class: "advice" }, h("strong", null, t("advice")), " ", advice(f)), h("p", { class: "hint" }, n.catalogue.rule(f.rule)?.lesson ?? ""))))) : h("p", null, t("verdict.nothing")),
    ...(rungs.length > 0 ? [h("h3", null, t("verdict.waits")), ladder(rungs, t("verdict.waits"))] : []),
    ...(r.warnings.length > 0 ? [h("ul", { class: "note" }, r.warnings.map((w) => h("li", null, phrase(w))))] : []),
  ];
}
