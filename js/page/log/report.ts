// The report: the story first, then what it rests on.
import { fill, h, say } from "../dom.js";
import { t, type Key } from "../i18n/index.js";
import { about } from "./about.js";
import { Arrivals } from "./arrivals.js";
import { Clients } from "./clients.js";
import { downloads } from "./download.js";
import { findings } from "./findings.js";
import { groups } from "./groups.js";
import { lifetimes } from "./lifetimes.js";
import type { ReportNeeds } from "./needs.js";
import { sentences, storySection } from "./story.js";

/** The drawn report. */
export class ReportView {
  readonly element = h("div", { class: "report" });
  private readonly needs: ReportNeeds;
  private arrivals: Arrivals | undefined;
  private clients: Clients | undefined;

  constructor(needs: ReportNeeds) {
    this.needs = needs;
  }

  /** Draws all of it. */
  draw(): void {
    const n = this.needs;
    const r = n.report;
    this.leave();
    const series = (from: string, to: string, bin_ms: number) => n.analysis.series(from, to, bin_ms);
    this.arrivals = r.arrivals.attempts.length > 0 ? new Arrivals(r, Number(n.settings.capacity) || undefined, series) : undefined;
    this.clients = r.totals.clients > 0 ? new Clients(n) : undefined;
    const found = findings(n, (key) => void this.clients?.open(key));
    const sections: [Key, Node | undefined][] = [
      ["nav.story", storySection(r, n.analysis.damaged.map((d) => d.source), n.change)],
      ["nav.arrivals", this.arrivals?.element],
      ["nav.findings", found],
      ["nav.groups", groups(n)],
      ["nav.clients", this.clients?.element],
      ["nav.lives", lifetimes(r)],
      ["nav.about", about(n)],
      ["nav.download", downloads(n)],
    ];
    const shown = sections.filter(([, s]) => s) as [Key, HTMLElement][];
    for (const [key, s] of shown) s.id = key.replace(".", "-");
    fill(this.element,
      h("nav", { class: "sections", "aria-label": t("nav") }, shown.map(([key]) => h("a", { href: `#${key.replace(".", "-")}`, onclick: (e: Event) => {
        e.preventDefault(); // the fragment of the address is for settings
        const s = document.getElementById(key.replace(".", "-"))!;
        s.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
        const heading = s.querySelector<HTMLElement>("h1, h2")!;
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      } }, t(key)))),
      shown.map(([, s]) => s),
    );
    this.arrivals?.draw();
    this.clients?.draw();
  }

  /** Says the first sentence. */
  announce(): void {
    say(`${t("done")} ${sentences(this.needs.report)[0] ?? ""}`);
    const heading = this.element.querySelector<HTMLElement>("h1");
    if (heading) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
  }

  /** Draws the pictures in the colours of the moment. */
  repaint(): void {
    this.arrivals?.repaint();
  }

  /** Lets go of listeners. */
  leave(): void {
    this.arrivals?.leave();
    this.clients?.leave();
  }

  /** Lets go of the log, too. */
  close(): void {
    this.leave();
    this.needs.analysis.close();
  }
}
