// How the log is read: the format that was recognised, its reading of the first lines, and the form that corrects it.
import type { Catalogue } from "../catalogue.js";
import { fill, foreign, fresh, h } from "../dom.js";
import { t, type Key } from "../i18n/index.js";
import { phrase } from "../i18n/phrase.js";
import { settingsLink } from "../link.js";
import { ofError, type Problem } from "../problem.js";
import type { Clerk } from "../worker/clerk.js";
import type { Head } from "../worker/head.js";
import { copyButton } from "./copy.js";
import { lookAt, type Look } from "./look.js";
import { flags, type Settings } from "./settings.js";

/** The panel, and the way to open it. */
export interface ReadingPanel {
  element: HTMLElement;
  open(): void;
}

interface Needs {
  look: Look | undefined;
  open: boolean;
  settings: Settings;
  desk: Clerk;
  catalogue: Catalogue;
  file: File;
  /** Gives what is wrong with the settings, if that is known without reading the log again. */
  apply(settings: Settings): Promise<Problem | undefined>;
}

/** Makes the panel. */
export function reading(n: Needs): ReadingPanel {
  const draft: Settings = { ...n.settings };
  const preview = h("div", { class: "preview", "aria-live": "polite" }, n.look ? lookTable(n.look) : h("p", { class: "hint" }, t("look.none")));
  const wrong = h("p", { class: "wrong", role: "alert" });
  const link = h("output", { class: "link" });
  const flagText = h("code");
  let turn = 0;
  let timer = 0;
  const refresh = () => {
    clearTimeout(timer);
    tell();
    timer = window.setTimeout(async () => {
      const mine = ++turn;
      try {
        const head = await n.desk.ask<Head>({ op: "head", file: n.file, name: n.file.name });
        const look = await lookAt(n.desk, head.bytes, draft);
        if (mine !== turn) return;
        wrong.textContent = "";
        fill(preview, lookTable(look));
      } catch (e) {
        if (mine !== turn) return;
        refuse(ofError(e));
      }
    }, 250);
  };
  const refuse = (p: Problem) => (wrong.textContent = p.detail ? `${p.title} ${p.detail}` : `${p.title} ${p.todo}`);
  const apply = h("button", { class: "primary", type: "submit" }, t("set.apply"));
  const tell = () => {
    link.textContent = settingsLink(draft);
    flagText.textContent = `stormlint analyze ${flags(draft)} FILE`.replace("  ", " ");
  };
  tell();
  const details = h("details", { class: "card reading", id: "reading-panel", open: n.open },
    h("summary", null, h("h2", null, t("look.title")), n.look && h("span", { class: "chip" }, formatName(n.look))),
    n.look && h("p", { class: "why" }, why(n.look)),
    preview,
    h("form", { class: "settings", onsubmit: async (e: Event) => {
      e.preventDefault();
      clearTimeout(timer);
      turn++; // a look that is under way would take back what is said now
      apply.disabled = true;
      apply.textContent = t("reading.judging");
      wrong.textContent = "";
      const p = await n.apply({ ...draft });
      apply.disabled = false;
      apply.textContent = t("set.apply");
      if (p) refuse(p);
    } },
      h("h3", null, t("set.title")),
      h("div", { class: "fields" }, fields(draft, n.catalogue, refresh)),
      wrong,
      h("div", { class: "row" }, apply, copyButton(() => settingsLink(draft), t("link.copy"))),
      h("p", { class: "hint" }, t("link.hint")),
      h("p", { class: "hint flags" }, t("set.flags"), " ", flagText),
    ),
  );
  return {
    element: details,
    open() {
      details.open = true;
      details.scrollIntoView({ block: "start" });
      details.querySelector<HTMLElement>("select, input")?.focus({ preventScroll: true });
    },
  };
}

// Whether any record was understood, be it that it is about something else.
const known = (look: Look) => look.records.length === 0 || look.records.some((r) => r.events.length > 0 || r.reason === "ignored");

function formatName(look: Look): string {
  if (!known(look)) return t("look.unknown");
  return [...look.wrappers, ...look.formats.map((f) => f.title)].map((w) => phrase(w)).join(" › ");
}

function why(look: Look): string {
  if (!known(look)) return t("look.unknown.why");
  return look.formats.map((f) => phrase(f.why)).filter(Boolean).map((w) => t("look.why", { why: w })).join(" ");
}

// What became of the first records.
function lookTable(look: Look): HTMLElement {
  const columns = ["time", "client", "kind", "path", "status"] as const;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("look.caption") }, h("table", { class: "looks" },
    h("caption", null, t("look.caption")),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("look.record")), columns.map((c) => h("th", { scope: "col" }, t(`look.${c}`))), h("th", { scope: "col" }, t("look.line")))),
    h("tbody", null, look.records.map((r) => {
      const e = r.events[0];
      return h("tr", { class: e ? "" : "passed" }, h("th", { scope: "row" }, r.record + 1),
        e ? columns.map((c) => h("td", null, c === "kind" ? [phrase(e.kind ?? ""), e.outcome && `, ${phrase(e.outcome)}`] : foreign(e[c] ?? "", 80)))
          : h("td", { colspan: columns.length }, r.reason === "ignored" ? t("look.ignored") : phrase(r.reason)),
        h("td", { class: "line" }, h("code", null, foreign(r.sample, 160))));
    })),
  ));
}

const zones = () => (Intl as unknown as { supportedValuesOf?(what: string): string[] }).supportedValuesOf?.("timeZone") ?? [];

function fields(draft: Settings, catalogue: Catalogue, changed: () => void): HTMLElement[] {
  const text = (name: Exclude<keyof Settings, "probes">, more: Record<string, unknown> = {}, list?: string[]): HTMLElement => {
    const id = fresh("set");
    const hint = `${id}-hint`;
    const input = name === "mark" || name === "map" ? h("textarea", { id, rows: 2, spellcheck: "false", ...more }) : h("input", { id, type: "text", spellcheck: "false", autocomplete: "off", ...more });
    input.value = draft[name];
    input.setAttribute("aria-describedby", hint);
    input.setAttribute("name", name);
    input.addEventListener("input", () => {
      draft[name] = input.value;
      changed();
    });
    const values = list && h("datalist", { id: `${id}-list` }, list.map((v) => h("option", { value: v })));
    if (values) input.setAttribute("list", values.id);
    return h("div", { class: "field" }, h("label", { for: id }, t(`set.${name}`)), input, values, h("p", { id: hint, class: "hint" }, t(`set.${name}.hint` as Key)));
  };
  const choice = (name: "format" | "key", options: [string, string][]): HTMLElement => {
    const id = fresh("set");
    const select = h("select", { id, name, "aria-describedby": `${id}-hint`, onchange: () => {
      draft[name] = select.value;
      changed();
    } }, options.map(([v, label]) => h("option", { value: v, selected: v === draft[name] }, label)));
    return h("div", { class: "field" }, h("label", { for: id }, t(`set.${name}`)), select, h("p", { id: `${id}-hint`, class: "hint" }, t(`set.${name}.hint`)));
  };
  const probes = h("input", { id: "set-probes", type: "checkbox", checked: draft.probes, onchange: () => (draft.probes = probes.checked) });
  const number = { inputmode: "decimal" };
  return [
    choice("format", [["", t("set.format.auto")], ...catalogue.formats.map((f): [string, string] => [f.name, `${f.title} (${f.name})`])]),
    text("log_format"), text("map"), text("path"), text("tz", {}, zones()), text("trusted_proxy"), text("capacity", number),
    text("mark"), text("since"), text("until"),
    choice("key", [["", t("set.key.ip")], ["ip+ua", t("set.key.ip+ua")], ["conn", t("set.key.conn")], ["client", t("set.key.client")]]),
    text("group_by", {}, ["ua", "path", "host", "query:", "field:"]), text("threshold", number), text("budget", number), text("protocol", {}, ["graphql-ws", "discord", "pusher"]),
    h("div", { class: "field check" }, h("label", { for: "set-probes" }, probes, " ", t("set.probes"))),
  ];
}
