// How far a reading is, how fast it goes, and the way to end it.
import { h, say } from "../dom.js";
import { bytes, percent, span } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import type { Progress as News } from "./analyze.js";

/** The card that stands while files are read. */
export class Progress {
  readonly element = h("section", { class: "card progress" });
  private readonly files: File[];
  private readonly stop: () => void;
  private readonly began = performance.now();
  private last: News | undefined;
  private told = 0;

  constructor(files: File[], stop: () => void) {
    this.files = files;
    this.stop = stop;
  }

  /** Takes news of the reading. */
  tell(news: News): void {
    this.last = news;
    this.update();
    const tenth = Math.floor((news.bytes / Math.max(news.total, 1)) * 4);
    if (tenth > this.told && performance.now() - this.began > 2000) {
      this.told = tenth;
      say(t("reading.share", { share: percent(news.bytes / news.total) }));
    }
  }

  /** Draws the card anew. */
  draw(): void {
    const name = this.files.length === 1 ? h("bdi", null, this.files[0]!.name) : t("reading.files", { n: this.files.length });
    this.element.replaceChildren(
      h("h1", { class: "small" }, t("reading.title"), " ", name),
      h("progress", { max: 1, "aria-label": t("reading.title") }),
      h("p", { class: "figures" }),
      h("div", { class: "row" }, h("button", { type: "button", onclick: this.stop }, t("cancel"))),
    );
    this.update();
  }

  private update(): void {
    const bar = this.element.querySelector("progress");
    const figures = this.element.querySelector(".figures");
    if (!bar || !figures) return;
    const n = this.last;
    if (!n) {
      bar.removeAttribute("value");
      figures.textContent = t("reading.begins");
      return;
    }
    if (n.total > 0 && n.bytes >= n.total) {
      bar.removeAttribute("value");
      figures.textContent = t("reading.judging");
      return;
    }
    const share = n.bytes / Math.max(n.total, 1);
    const seconds = n.elapsed_ms / 1000;
    bar.value = share;
    const rest = seconds > 1 && share > 0.02 ? t("reading.rest", { time: span(Math.round((seconds / share) * (1 - share)) * 1000) }) : "";
    figures.textContent = [t("reading.done", { done: bytes(n.bytes), total: bytes(n.total) }), t("reading.records", { n: n.records }), t("reading.speed", { speed: bytes(n.bytes_per_second) }), rest].filter(Boolean).join(" · ");
  }
}
