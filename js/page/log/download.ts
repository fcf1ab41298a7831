// Reports to take away, each made by the module.
import { fill, foreign, h } from "../dom.js";
import { t } from "../i18n/index.js";
import { ofError } from "../problem.js";
import { plain } from "../worker/fault.js";
import { analyze } from "./analyze.js";
import type { ReportNeeds } from "./needs.js";
import { settingsLink } from "../link.js";
import { copyButton } from "./copy.js";

/** The section. */
export function downloads(n: ReportNeeds): HTMLElement {
  const state = h("p", { class: "hint", role: "status" });
  const addresses = h("input", { type: "checkbox", id: "addresses" });
  const stem = n.files[0]!.name.replace(/[^\w.-]+/g, "_").slice(0, 60) || "log";
  const button = (word: "json" | "markdown" | "html" | "compat", ending: string, kind: string, make: () => Promise<Uint8Array>) =>
    h("button", { type: "button", "data-form": word, onclick: async (e: Event) => {
      const b = e.currentTarget as HTMLButtonElement;
      b.disabled = true;
      fill(state, t("download.making"));
      try {
        save(await make(), `${stem}.${ending}`, kind);
        fill(state, t("download.done", { name: `${stem}.${ending}` }));
      } catch (err) {
        const p = ofError(err);
        const not = word === "compat" && !["file-changed", "out-of-memory"].includes(plain(err).code);
        fill(state, not ? t("download.compat.not") : p.title, " ", not ? h("span", { lang: "en" }, foreign(p.detail, 300)) : p.todo);
      }
      b.disabled = false;
    } }, h("strong", null, t(`download.${word}`)), h("span", null, t(`download.${word}.what`)));
  const rendered = (output: string) => () => n.analysis.render(output, { show_addresses: addresses.checked });
  return h("section", { class: "downloads" }, h("h2", null, t("nav.download")),
    h("div", { class: "choices" },
      button("html", "report.html", "text/html", rendered("html")),
      button("markdown", "report.md", "text/markdown", rendered("markdown")),
      button("json", "report.json", "application/json", () => Promise.resolve(n.analysis.raw)),
      button("compat", "compat.json", "application/json", async () => {
        const a = await analyze(n.office, n.files, { threshold: 5, compat: true });
        a.close();
        return a.raw;
      }),
    ),
    h("p", null, h("label", { for: "addresses" }, addresses, " ", t("download.addresses"))),
    state,
    h("p", { class: "hint" }, t("link.hint"), " ", copyButton(() => settingsLink(n.settings), t("link.copy"))),
  );
}

function save(bytes: Uint8Array, name: string, kind: string): void {
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: kind }));
  const a = h("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
