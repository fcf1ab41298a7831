// A schedule, in one of three ways: a policy, a real library's, or delays that were measured.
import type { Catalogue } from "../catalogue.js";
import { fill, fresh, h } from "../dom.js";
import { t } from "../i18n/index.js";

/** What was chosen. */
export interface Choice {
  kind: "policy" | "library" | "delays";
  text: string;
}

/** The choice as a policy; "" for delays, which are none. */
export function choiceText(c: Choice): string {
  return c.kind === "delays" ? "" : c.text.trim();
}

const templates = [
  ["full", "full:1s:30s"], ["equal", "equal:1s:30s"], ["decorrelated", "decorrelated:1s:30s"], ["prop", "prop:1s:120s:1.6:0.2"], ["additive", "additive:1s:30s:2:1s"], ["window", "window:25s"],
  ["exp", "exp:1s:30s"], ["linear", "linear:1s:30s"], ["fixed", "fixed:1s"], ["table", "table:10ms,50ms,1s"], ["immediate", "immediate:10ms"],
] as const;

/** The inputs; changed is called with every key. */
export function scheduleInput(choice: Choice, catalogue: Catalogue, changed: (c: Choice) => void): HTMLElement {
  const body = h("div", { class: "way" });
  const kept: Record<Choice["kind"], string> = { policy: "exp:1s:30s", library: "lib:socket.io-client", delays: "", [choice.kind]: choice.text };
  const tell = (kind: Choice["kind"], text: string) => {
    kept[kind] = text;
    changed({ kind, text });
  };
  const show = (kind: Choice["kind"]) => fill(body, kind === "policy" ? policy(kept.policy, (v) => tell("policy", v)) : kind === "library" ? library(kept.library, catalogue, (v) => tell("library", v)) : delays(kept.delays, (v) => tell("delays", v)));
  const name = fresh("way");
  const ways = h("fieldset", { class: "ways" }, h("legend", { class: "unseen" }, t("bench.schedule")), (["policy", "library", "delays"] as const).map((kind) => h("label", null,
    h("input", { type: "radio", name, value: kind, checked: kind === choice.kind, onchange: () => {
      show(kind);
      tell(kind, kept[kind]);
    } }), h("span", null, t(`way.${kind}`)))));
  show(choice.kind);
  return h("div", null, ways, body);
}

function policy(value: string, changed: (v: string) => void): HTMLElement[] {
  const id = fresh("policy");
  const family = value.split(":")[0];
  const text = h("input", { id, type: "text", value, spellcheck: "false", autocomplete: "off", autocapitalize: "off", class: "mono", "aria-describedby": `${id}-hint`, oninput: () => changed(text.value) });
  const select = h("select", { id: `${id}-family`, onchange: () => {
    text.value = templates.find(([f]) => f === select.value)?.[1] ?? text.value;
    changed(text.value);
  } }, !templates.some(([f]) => f === family) && h("option", { value: "", selected: true }, t("way.own")), templates.map(([f]) => h("option", { value: f, selected: f === family }, t(`family.${f}`))));
  return [
    h("div", { class: "field" }, h("label", { for: `${id}-family` }, t("way.family")), select),
    h("div", { class: "field" }, h("label", { for: id }, t("way.spec")), text, h("p", { class: "hint", id: `${id}-hint` }, t("way.spec.hint"))),
  ];
}

function library(value: string, catalogue: Catalogue, changed: (v: string) => void): HTMLElement[] {
  const id = fresh("library");
  const note = h("p", { class: "hint", lang: "en" });
  const select = h("select", { id });
  const tell = () => {
    const l = catalogue.libraries.find((l) => `lib:${l.name}` === select.value);
    note.textContent = l ? `${l.name} ${l.version}: ${l.policy}` : "";
  };
  select.addEventListener("change", () => {
    tell();
    changed(select.value);
  });
  void catalogue.ready.then(() => {
    const by = Map.groupBy ? Map.groupBy(catalogue.libraries, (l) => l.ecosystem) : new Map([["", catalogue.libraries]]);
    fill(select, [...by].map(([ecosystem, list]) => h("optgroup", { label: ecosystem }, list.map((l) => h("option", { value: `lib:${l.name}`, selected: value === `lib:${l.name}` }, l.name)))));
    tell();
  }, () => {});
  return [h("div", { class: "field" }, h("label", { for: id }, t("way.library.name")), select, note)];
}

function delays(value: string, changed: (v: string) => void): HTMLElement[] {
  const id = fresh("delays");
  const text = h("textarea", { id, rows: 5, spellcheck: "false", class: "mono", value, placeholder: "512, 1090, 1874, 4420, 7801\n498, 1210, 2103, 3890, 8120", "aria-describedby": `${id}-hint`, oninput: () => changed(text.value) });
  return [h("div", { class: "field" }, h("label", { for: id }, t("way.delays.label")), text, h("p", { class: "hint", id: `${id}-hint` }, t("way.delays.hint")))];
}
