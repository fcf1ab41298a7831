// The page: two views, one header. Everything is drawn from state, so that a change of language draws it anew.
import { bench, type Bench } from "./bench/bench.js";
import { Catalogue } from "./catalogue.js";
import { fill, h } from "./dom.js";
import { type Language, language, languages, speak, t } from "./i18n/index.js";
import { check, type Check } from "./log/check.js";
import { readLink, type Linked } from "./link.js";
import { remember, remembered } from "./memory.js";
import { Kept } from "./kept.js";
import { Clerk } from "./worker/clerk.js";
import { fetched, open } from "./worker/office.js";

type View = "log" | "bench";

const base = new URL(".", import.meta.url);
const linked: Linked = readLink(location.hash);
// Everything is fetched with the page, so that nothing is fetched later; what could not be had is tried again by who needs it.
const office = new Kept(() => open(base));
const sample = new Kept(async () => new File([await (await fetched(new URL("sample.ndjson", base))).blob()], "sample.ndjson"));
sample.get().catch(() => {}); // told to whoever asks

const desk = new Clerk(office);
const catalogue = new Catalogue(desk);
let view: View = linked.view;
let checked: Check | undefined;
let benched: Bench | undefined;

speak(linked.language ?? remembered<Language>("language", ["en", "ja"]) ?? (navigator.language.startsWith("ja") ? "ja" : "en"));
paint(remembered("theme", ["light", "dark"]) ?? "system");

const app = document.getElementById("app")!;
document.getElementById("static")!.remove();
draw();
// Workers are hired while nobody waits, so that no script is fetched later.
void desk.ready();

function paint(theme: string): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function show(to: View): void {
  view = to;
  draw();
  document.getElementById(`tab-${to}`)!.focus();
}

function draw(): void {
  document.title = t("title");
  checked ??= check({ office, desk, catalogue, sample, linked, workbench: (policy, clients, capacity) => {
    benched?.take(policy, clients, capacity);
    show("bench");
  } });
  benched ??= bench({ office, desk, catalogue, linked });
  const body = view === "log" ? checked : benched;
  fill(app,
    h("a", { class: "skip", href: "#main" }, t("skip")),
    h("header", { class: "top" },
      h("div", { class: "brand" }, mark(), h("span", { class: "name" }, "stormlint")),
      h("nav", { "aria-label": t("views") }, tab("log", t("view.log")), tab("bench", t("view.bench"))),
      h("div", { class: "tools" }, languageChoice(), themeChoice()),
    ),
    h("main", { id: "main", tabindex: -1 }, body.element),
    h("footer", { class: "bottom" }, h("p", null, t("footer.private")), h("p", null, t("footer.more"))),
  );
  body.draw();
}

function tab(to: View, text: string): HTMLElement {
  return h("button", { id: `tab-${to}`, class: "tab", type: "button", "aria-current": view === to ? "page" : undefined, onclick: () => show(to) }, text);
}

function languageChoice(): HTMLElement {
  const choice = h("select", { "aria-label": t("language"), onchange: () => {
    speak(choice.value as Language);
    remember("language", choice.value);
    draw();
  } }, Object.entries(languages).map(([code, name]) => h("option", { value: code, lang: code, selected: code === language() }, name)));
  return choice;
}

function themeChoice(): HTMLElement {
  const now = document.documentElement.dataset.theme ?? "system";
  const choice = h("select", { "aria-label": t("theme"), onchange: () => {
    paint(choice.value);
    remember("theme", choice.value);
    checked?.repaint();
    benched?.repaint();
  } }, (["system", "light", "dark"] as const).map((w) => h("option", { value: w, selected: w === now }, t(`theme.${w}`))));
  return choice;
}

function mark(): Node {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 24 22", class: "mark", "aria-hidden": "true" })) svg.setAttribute(name, value);
  for (const [x, y] of [[0, 14], [6, 0], [12, 8], [18, 15]] as const) {
    const r = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x, y, width: 4, height: 22 - y, rx: 1 })) r.setAttribute(name, String(value));
    svg.append(r);
  }
  return svg;
}
