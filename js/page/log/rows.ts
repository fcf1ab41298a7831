// A long table of which only the visible rows exist. Rows are asked for in chunks; what has not come yet is a grey line.
import { fill, h } from "../dom.js";

/** What the rows are made from. */
export interface RowsOptions<T> {
  columns: number;
  ask(offset: number, n: number): Promise<{ total: number; items: T[] }>;
  cells(item: T): HTMLElement[];
  open(item: T): void;
  failed(e: unknown): void;
}

const chunk = 100;
const tall = 36; // px, as the style sheet has it
const highest = 8_000_000; // px: beyond it browsers cut elements, so that scrolling goes in larger steps

/** The table's body, in a box that scrolls. */
export class Rows<T> {
  readonly table = h("table", { role: "grid" });
  readonly body = h("tbody");
  readonly element: HTMLElement;
  private readonly o: RowsOptions<T>;
  private readonly chunks = new Map<number, T[]>();
  private readonly asked = new Set<number>(); // on their way, never more than two
  private drawn = new Map<number, { item: T | undefined; row: HTMLElement }>(); // what the body shows
  private readonly above = h("div", { class: "spacer" });
  private readonly size: ResizeObserver;
  private total = 0;
  private turn = 0;
  private frame = 0;
  private current = 0;
  private grab = false;

  constructor(o: RowsOptions<T>) {
    this.o = o;
    this.element = h("div", { class: "rows" }, this.above, this.table);
    this.element.addEventListener("scroll", () => this.change(), { passive: true });
    this.body.addEventListener("keydown", (e) => this.key(e));
    this.body.addEventListener("click", (e) => {
      const row = (e.target as Element).closest<HTMLElement>("tr[data-i]");
      if (row) this.act(Number(row.dataset.i));
    });
    this.size = new ResizeObserver(() => this.change());
    this.size.observe(this.element);
  }

  /** Forgets the rows and asks anew; gives how many there are, or undefined when asked again meanwhile. */
  async reload(): Promise<number | undefined> {
    const turn = ++this.turn;
    this.chunks.clear();
    this.asked.clear();
    this.table.setAttribute("aria-busy", "true");
    try {
      const { total, items } = await this.o.ask(0, chunk);
      if (turn !== this.turn) return undefined;
      this.total = total;
      this.chunks.set(0, items);
    } catch (e) {
      if (turn === this.turn) this.o.failed(e);
      return undefined;
    } finally {
      if (turn === this.turn) this.table.removeAttribute("aria-busy");
    }
    this.current = 0;
    this.element.scrollTop = 0;
    this.table.setAttribute("aria-rowcount", String(this.total + 1));
    this.paint();
    return this.total;
  }

  private get visible(): number {
    return Math.max(1, Math.floor((this.element.clientHeight - tall) / tall));
  }

  private get height(): number {
    return Math.min((this.total + 1) * tall, highest);
  }

  // The first row that is shown. In a table too tall for the browser the scroll bar's share decides.
  private first(): number {
    const room = this.height - this.element.clientHeight;
    if (room <= 0) return 0;
    if (this.height < highest) return Math.floor(this.element.scrollTop / tall);
    return Math.round((this.element.scrollTop / room) * (this.total - this.visible));
  }

  private change(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  private paint(): void {
    this.above.style.height = `${this.height}px`;
    const first = Math.max(0, Math.min(this.first(), this.total - 1));
    const last = Math.min(first + this.visible + 2, this.total);
    const from = Math.max(0, first - 1);
    // The table sticks to the box; the row above the first one is there so that a half row can show.
    const offset = this.height < highest ? from * tall : Math.min(this.element.scrollTop, this.height - this.element.clientHeight);
    this.table.style.transform = `translateY(${offset}px)`;
    const lines: HTMLElement[] = [];
    const kept = new Map<number, { item: T | undefined; row: HTMLElement }>();
    const start = this.height < highest ? from : first;
    const due: number[] = [];
    for (let i = start; i < last; i++) {
      const item = this.chunks.get(Math.floor(i / chunk))?.[i % chunk];
      // A row that stays is the same element: scrolling by a few pixels makes no row, by a line it makes one.
      const before = this.drawn.get(i);
      const row = before && before.item === item ? before.row : this.line(i, item);
      row.tabIndex = i === this.current ? 0 : -1;
      lines.push(row);
      kept.set(i, { item, row });
      const n = Math.floor(i / chunk);
      if (!item && due.at(-1) !== n) due.push(n);
    }
    const focused = this.body.contains(document.activeElement);
    const same = lines.length === this.body.children.length && lines.every((row, k) => row === this.body.children[k]);
    if (!same) this.body.replaceChildren(...lines);
    this.drawn = kept;
    if (!lines.some((r) => r.tabIndex === 0) && lines[0]) lines[0].tabIndex = 0;
    if ((focused && !same) || this.grab) (lines.find((r) => Number(r.dataset.i) === this.current) ?? lines[0])?.focus({ preventScroll: true });
    this.grab = false;
    for (const n of due) this.need(n);
  }

  private line(i: number, item: T | undefined): HTMLElement {
    const row = h("tr", { "data-i": i, "aria-rowindex": i + 2, class: item ? "" : "due" });
    fill(row, item ? this.o.cells(item) : h("td", { colspan: this.o.columns }, "…"));
    return row;
  }

  // Two questions at a time: what has scrolled by meanwhile is not asked for any more, so that after a long way the rows
  // that are seen come at once.
  private need(n: number): void {
    if (this.asked.has(n) || this.asked.size >= 2) return;
    this.asked.add(n);
    const turn = this.turn;
    this.o.ask(n * chunk, chunk).then(({ items }) => {
      if (turn !== this.turn) return;
      this.asked.delete(n);
      this.chunks.set(n, items);
      if (this.chunks.size > 60) this.chunks.delete(this.chunks.keys().next().value!);
      this.change();
    }, (e: unknown) => {
      if (turn !== this.turn) return;
      this.asked.delete(n);
      this.o.failed(e);
    });
  }

  private key(e: KeyboardEvent): void {
    const to: Record<string, number> = {
      ArrowDown: this.current + 1, ArrowUp: this.current - 1, PageDown: this.current + this.visible, PageUp: this.current - this.visible, Home: 0, End: this.total - 1,
    };
    if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      return this.act(this.current);
    }
    if (to[e.key] === undefined) return;
    e.preventDefault();
    this.current = Math.max(0, Math.min(to[e.key]!, this.total - 1));
    this.reveal(this.current);
    this.grab = true;
    this.paint();
  }

  private reveal(i: number): void {
    const first = this.first();
    if (i >= first && i < first + this.visible) return;
    const top = i < first ? i : i - this.visible + 1;
    const room = this.height - this.element.clientHeight;
    this.element.scrollTop = this.height < highest ? top * tall : (top / Math.max(this.total - this.visible, 1)) * room;
  }

  private act(i: number): void {
    this.current = i;
    const item = this.chunks.get(Math.floor(i / chunk))?.[i % chunk];
    if (item) this.o.open(item);
  }

  /** Lets go of listeners. */
  leave(): void {
    this.turn++;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}
