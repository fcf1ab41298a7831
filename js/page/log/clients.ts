// The table of clients, as many as there are: only the rows on the screen exist, and they are asked for when they are due.
import { foreign, h, say } from "../dom.js";
import { count, span } from "../i18n/figure.js";
import { t } from "../i18n/index.js";
import { ofError } from "../problem.js";
import { clientDialog } from "./client.js";
import type { ReportNeeds } from "./needs.js";
import { Rows } from "./rows.js";
import { scheduleText } from "./schedule.js";
import type { Client } from "../../src/report.js";

const columns = ["client", "risk", "attempts", "refused", "sessions", "peak", "wait", "waits", "agent"] as const;
type Column = (typeof columns)[number];
const sorts: Partial<Record<Column, string>> = { client: "client", risk: "risk", attempts: "attempts", refused: "refused", sessions: "sessions", peak: "peak", wait: "delays" };
const numbers = new Set<Column>(["attempts", "refused", "sessions", "peak", "wait"]);

/** The section. */
export class Clients {
  readonly element = h("section", { class: "clients" });
  private readonly needs: ReportNeeds;
  private readonly rows: Rows<Client>;
  private readonly head = h("thead");
  private readonly status = h("p", { class: "hint", role: "status" });
  private sort: Column = "risk";
  private ascending = false;
  private filter = "";
  private timer = 0;

  constructor(needs: ReportNeeds) {
    this.needs = needs;
    this.rows = new Rows<Client>({
      columns: columns.length, ask: (offset, n) => this.ask(offset, n), cells: (c) => this.cells(c), open: (c) => void this.open(c.key, c),
      failed: (e) => (this.status.textContent = ofError(e).title),
    });
  }

  /** Draws the section. */
  draw(): void {
    const filter = h("input", { type: "search", id: "filter", spellcheck: "false", autocomplete: "off", value: this.filter, "aria-describedby": "filter-hint", oninput: () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        this.filter = filter.value;
        void this.reload();
      }, 250);
    } });
    this.rows.table.setAttribute("aria-label", t("nav.clients"));
    this.heads();
    this.rows.table.replaceChildren(this.head, this.rows.body);
    this.element.replaceChildren(
      h("div", { class: "heading" }, h("h2", null, t("nav.clients")), h("div", { class: "filter" }, h("label", { for: "filter" }, t("clients.filter")), filter)),
      h("p", { class: "hint", id: "filter-hint" }, t("clients.hint")), this.rows.element, this.status,
    );
    void this.reload();
  }

  private heads(): void {
    this.head.replaceChildren(h("tr", { "aria-rowindex": 1 }, columns.map((c) => {
      const by = sorts[c];
      const on = c === this.sort;
      const ascends = c === "client" ? !this.ascending : this.ascending;
      const props = { role: "columnheader", scope: "col", class: `c-${c} ${numbers.has(c) ? "n" : ""}`, "aria-sort": on ? (ascends ? "ascending" : "descending") : undefined };
      return h("th", props, by ? h("button", { type: "button", onclick: () => {
        this.ascending = on ? !this.ascending : false;
        this.sort = c;
        this.heads();
        this.head.querySelector<HTMLElement>(`.c-${c} button`)?.focus();
        void this.reload();
      } }, t(`col.${c}`), h("span", { class: "arrow", "aria-hidden": "true" }, on ? (ascends ? " ↑" : " ↓") : "")) : t(`col.${c}`));
    })));
  }

  private async ask(offset: number, n: number): Promise<{ total: number; items: Client[] }> {
    const { total, clients } = await this.needs.analysis.page({ sort: sorts[this.sort]!, ascending: this.ascending, filter: this.filter, offset, n });
    return { total, items: clients as Client[] };
  }

  private async reload(): Promise<void> {
    this.status.textContent = t("clients.sorting");
    const total = await this.rows.reload();
    if (total === undefined) return;
    this.status.textContent = t("clients.shown", { n: total, all: this.needs.report.totals.clients });
  }

  private cells(c: Client): HTMLElement[] {
    const risk = c.risk_level;
    const td = (column: Column, ...children: (Node | string)[]) => h("td", { class: `c-${column} ${numbers.has(column) ? "n" : ""}` }, children);
    const none = (n: number) => (n === 0 ? "–" : count(n));
    return [
      h("th", { scope: "row", class: "c-client" }, foreign(c.client, 60)),
      td("risk", h("span", { class: `risk ${risk.toLowerCase()}` }, t(`risk.${risk}`))),
      td("attempts", count(c.attempts)), td("refused", none(c.refused)), td("sessions", none(c.sessions)), td("peak", count(c.peak_per_min)),
      td("wait", c.delays.mean_ms === null ? "–" : span(c.delays.mean_ms)), td("waits", scheduleText(c.schedule) || "–"),
      td("agent", foreign(c.user_agents.filter(Boolean).join(", "), 60)),
    ];
  }

  /** Opens one client in full. */
  async open(key: string, known?: Client): Promise<void> {
    try {
      const c = known ?? ((await this.needs.analysis.client(key)) as Client);
      clientDialog(c, this.needs);
    } catch (e) {
      say(ofError(e).title);
    }
  }

  /** Lets go of listeners. */
  leave(): void {
    clearTimeout(this.timer);
    this.rows.leave();
  }
}
