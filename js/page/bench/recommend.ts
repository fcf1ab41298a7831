// What suits the fleet and the server, tried by simulation, with code to paste.
import { ask } from "../catalogue.js";
import { fill, foreign, fresh, h } from "../dom.js";
import { decimal, span } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import { phrase } from "../i18n/phrase.js";
import { copyButton } from "../log/copy.js";
import { ofError } from "../problem.js";
import type { Clerk } from "../worker/clerk.js";
import { Told } from "../worker/told.js";
import type { Fleet } from "./needs.js";

interface Advice {
  policy: string;
  window_ms: number;
  backlog: number;
  timeout_ms: number;
  drain_ms: number;
  admission_per_s: number;
  user_wait: { mean_ms: number; p95_ms: number };
  peak_per_s: number;
  if_wrong: { case: string; recovered: boolean; last_ms: number; peak_over_capacity: number; waste_per_client: number }[];
  snippets: Record<string, string>;
  warnings: string[];
}

/** The section. */
export interface Recommendation {
  element: HTMLElement;
  draw(): void;
  ask(f: Fleet): Promise<void>;
}

/** Makes the section. */
export function recommendation(clerk: Clerk): Recommendation {
  const element = h("section", { class: "card recommend" });
  const body = h("div");
  const state = h("p", { class: "hint", role: "status" });
  let turn = 0;
  let busy = false;
  let tab = "stormlint";
  let last: [Advice, Fleet] | undefined;
  return {
    element,
    draw() {
      fill(element, h("h2", null, t("advice.title")), state, body);
      if (last) fill(body, shown(...last, tab, (w) => (tab = w)));
    },
    async ask(f) {
      if (last && last[1].clients === f.clients && last[1].capacity === f.capacity) return;
      const mine = ++turn;
      if (busy) clerk.stop();
      busy = true;
      state.textContent = t("compare.running");
      try {
        const a = await ask<Advice>(clerk, "recommend", { clients: f.clients, capacity: f.capacity });
        if (mine !== turn) return;
        last = [a, { ...f }];
        state.textContent = "";
        fill(body, shown(a, f, tab, (w) => (tab = w)));
      } catch (e) {
        if (mine !== turn || (e instanceof Told && e.fault.code === "stopped")) return;
        const p = ofError(e);
        fill(body);
        fill(state, p.detail ? h("span", { lang: "en" }, foreign(p.detail, 300)) : `${p.title} ${p.todo}`);
      } finally {
        if (mine === turn) busy = false;
      }
    },
  };
}

function shown(a: Advice, f: Fleet, tab: string, chosen: (word: string) => void): HTMLElement[] {
  const figures: [string, string][] = [
    [t("advice.wait"), t("advice.wait.n", { mean: span(a.user_wait.mean_ms), p95: span(a.user_wait.p95_ms) })],
    [t("advice.most"), `${decimal(a.peak_per_s)}/s (${decimal(a.peak_per_s / f.capacity)}×)`],
    [t("advice.timeout"), span(a.timeout_ms)], [t("advice.backlog"), t("advice.backlog.n", { n: a.backlog })], [t("advice.drain"), span(a.drain_ms)], [t("advice.door"), `${decimal(a.admission_per_s)}/s`],
  ];
  return [
    h("p", null, t("advice.say", { clients: f.clients, capacity: decimal(f.capacity) }), " ", h("code", { class: "policy big" }, a.policy)),
    h("p", null, t("advice.means", { window: span(a.window_ms) })),
    h("dl", { class: "facts wide" }, figures.map(([k, v]) => h("div", null, h("dt", null, k), h("dd", null, v)))),
    ...(a.warnings.length > 0 ? [h("ul", { class: "note" }, a.warnings.map((w) => h("li", null, phrase(w))))] : []),
    snippets(a.snippets, tab, chosen),
    h("h3", null, t("advice.wrong")), h("p", { class: "hint" }, t("advice.wrong.hint")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("advice.wrong") }, h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("advice.case")), h("th", { scope: "col" }, t("advice.all")), h("th", { scope: "col", class: "n" }, t("compare.last")), h("th", { scope: "col", class: "n" }, t("advice.peak")))),
      h("tbody", null, a.if_wrong.map((w) => h("tr", null, h("th", { scope: "row" }, phrase(w.case)), h("td", null, t(w.recovered ? "yes" : "no")), h("td", { class: "n" }, span(w.last_ms)), h("td", { class: "n" }, `${decimal(w.peak_over_capacity)}×`)))))),
  ];
}

function snippets(all: Record<string, string>, tab: string, chosen: (word: string) => void): HTMLElement {
  const words = Object.keys(all);
  let now = words.includes(tab) ? tab : words[0]!;
  const id = fresh("snippet");
  const code = h("pre", { id, tabindex: 0, role: "tabpanel" }, h("code"));
  const tabs = words.map((w, i) => h("button", { type: "button", role: "tab", id: `${id}-${i}`, "aria-controls": id, onclick: () => show(w), onkeydown: (e: Event) => {
    const key = (e as KeyboardEvent).key;
    const to = key === "ArrowRight" ? i + 1 : key === "ArrowLeft" ? i - 1 : key === "Home" ? 0 : key === "End" ? words.length - 1 : undefined;
    if (to === undefined) return;
    e.preventDefault();
    show(words[(to + words.length) % words.length]!);
    tabs[(to + words.length) % words.length]!.focus();
  } }, w));
  const show = (w: string) => {
    now = w;
    chosen(w);
    tabs.forEach((b, i) => {
      b.setAttribute("aria-selected", String(words[i] === w));
      b.tabIndex = words[i] === w ? 0 : -1;
      if (words[i] === w) code.setAttribute("aria-labelledby", b.id);
    });
    code.firstElementChild!.textContent = all[w]!;
  };
  show(now);
  return h("div", { class: "snippets" }, h("div", { class: "tabs" }, h("div", { role: "tablist", "aria-label": t("advice.snippets") }, tabs), copyButton(() => all[now]!, t("advice.copy"))), code);
}
