// The records of the log that a finding rests on, masked as the reader masks them.
import { fill, foreign, h } from "../dom.js";
import { t } from "../i18n/index.js";
import { ofError } from "../problem.js";
import type { Shown } from "../worker/records.js";
import type { ReportNeeds } from "./needs.js";
import { readingOptions } from "./settings.js";

/** A button that shows the lines; records are named FILE:NUMBER. */
export function sourceLines(n: ReportNeeds, records: string[]): HTMLElement {
  const place = h("div", { class: "lines", "aria-live": "polite" });
  const button = h("button", { type: "button", class: "quiet", onclick: async () => {
    button.disabled = true;
    fill(place, h("p", { class: "hint" }, t("lines.reading")));
    try {
      fill(place, h("ol", { class: "samples" }, await read(n, records)));
      button.hidden = true;
    } catch (e) {
      const p = ofError(e);
      fill(place, h("p", { class: "wrong" }, `${p.title} ${p.todo}`));
      button.disabled = false;
    }
  } }, t("lines.show", { n: records.length }));
  return h("div", { class: "source" }, button, place);
}

async function read(n: ReportNeeds, names: string[]): Promise<HTMLElement[]> {
  const out: HTMLElement[] = [];
  for (const file of n.files) {
    const numbers = names.filter((r) => r.slice(0, r.lastIndexOf(":")) === file.name).map((r) => Number(r.slice(r.lastIndexOf(":") + 1)));
    if (numbers.length === 0) continue;
    const found = await n.desk.ask<Shown[]>({ op: "records", file, numbers, options: readingOptions(n.settings) });
    out.push(...found.map((r) => h("li", null, h("span", { class: "place" }, h("bdi", null, file.name), `:${r.record}`, h("span", { class: "hint" }, ` ${t("lines.place", { line: r.line, byte: r.offset })}`)), " ", h("code", null, foreign(r.sample, 1000)))));
  }
  return out.length > 0 ? out : [h("li", null, t("lines.none"))];
}
