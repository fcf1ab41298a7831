// The ways in: files dropped or chosen, pasted text, the sample.
import { h, say } from "../dom.js";
import { t } from "../i18n/index.js";
import { problem, type Problem } from "../problem.js";

/** What somebody gave: files, or a reason why not. */
export type Given = { files: File[] } | { problem: Problem };

/** The start of the view. */
export function inputs(o: { take(given: Given): void; sample(): void; problem: HTMLElement | undefined }): HTMLElement {
  const chooser = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => {
    if (chooser.files && chooser.files.length > 0) o.take({ files: sorted([...chooser.files]) });
    chooser.value = "";
  } });
  const text = h("textarea", { id: "paste", rows: 8, spellcheck: "false", placeholder: t("paste.hint"), autocapitalize: "off", autocomplete: "off" });
  const empty = h("p", { class: "hint", role: "alert" });
  const paste = h("form", { class: "paste", hidden: true, onsubmit: (e: Event) => {
    e.preventDefault();
    if (text.value.trim() === "") {
      empty.textContent = t("paste.empty");
      text.focus();
    } else o.take({ files: [new File([text.value.endsWith("\n") ? text.value : text.value + "\n"], t("paste.name"))] });
  } }, h("label", { for: "paste" }, t("paste.label")), text, empty, h("div", { class: "row" }, h("button", { class: "primary", type: "submit" }, t("paste.go"))));
  const opener = h("button", { type: "button", "aria-expanded": "false", onclick: () => {
    paste.hidden = !paste.hidden;
    opener.setAttribute("aria-expanded", String(!paste.hidden));
    if (!paste.hidden) text.focus();
  } }, t("paste"));
  return h("div", { class: "start" },
    h("div", { class: "hero" }, h("h1", null, t("hero")), h("p", { class: "lede" }, t("hero.lede"))),
    o.problem,
    h("section", { class: "drop", "aria-label": t("drop") },
      dropPicture(),
      h("p", { class: "big" }, t("drop")),
      h("p", { class: "hint" }, t("drop.hint")),
      h("div", { class: "row center" },
        h("button", { class: "primary", type: "button", onclick: () => chooser.click() }, t("choose")),
        opener,
        h("button", { type: "button", id: "try-sample", onclick: () => o.sample() }, t("sample")),
      ),
      chooser, paste,
    ),
    h("ul", { class: "promises" },
      (["private", "formats", "answers"] as const).map((w) => h("li", null, h("strong", null, t(`promise.${w}`)), h("span", null, t(`promise.${w}.more`)))),
    ),
  );
}

function dropPicture(): Node {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 120 48", class: "picture", "aria-hidden": "true" })) svg.setAttribute(name, value);
  const heights = [3, 4, 3, 5, 4, 3, 4, 46, 40, 34, 37, 27, 30, 20, 14, 9, 6, 4, 22, 15, 7, 5, 4, 3, 4, 3];
  heights.forEach((height, i) => {
    const r = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x: i * 4.6 + 0.5, y: 47 - height, width: 3, height, rx: 0.8 })) r.setAttribute(name, String(value));
    svg.append(r);
  });
  return svg;
}

/** Takes what is dropped or pasted anywhere on the page. */
export function watchDrops(take: (given: Given) => void): void {
  const over = (on: boolean) => document.documentElement.classList.toggle("dropping", on);
  const withFiles = (e: DragEvent) => e.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (e) => {
    if (!withFiles(e)) return;
    e.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", (e) => {
    if (e.relatedTarget === null) over(false);
  });
  document.addEventListener("drop", (e) => {
    over(false);
    if (!withFiles(e)) return;
    e.preventDefault();
    const items = [...(e.dataTransfer?.items ?? [])];
    const folder = items.map((i) => i.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory);
    const files = sorted([...(e.dataTransfer?.files ?? [])]);
    if (folder) take({ problem: problem("problem.folder", "problem.folder.do", { name: folder.name }) });
    else if (files.length > 0) {
      say(t("dropped", { n: files.length }));
      take({ files });
    }
  });
  document.addEventListener("paste", (e) => {
    const target = e.target as HTMLElement | null;
    const files = [...(e.clipboardData?.files ?? [])];
    if (target?.closest("input, textarea") || files.length === 0) return;
    take({ files: sorted(files) });
  });
}

// By name, numbers as numbers: access.log, access.log.1, access.log.2.gz, access.log.10.gz.
function sorted(files: File[]): File[] {
  const order = new Intl.Collator("en", { numeric: true });
  return files.sort((a, b) => order.compare(a.name, b.name));
}
