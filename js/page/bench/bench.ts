// The workbench: a schedule, its verdict at once, and what a fleet with it would do to a server.
import { fill, h } from "../dom.js";
import { t } from "../i18n/index.js";
import { benchLink } from "../link.js";
import { copyButton } from "../log/copy.js";
import { Clerk } from "../worker/clerk.js";
import { comparison, type Comparison } from "./compare.js";
import { dial } from "./dial.js";
import { type Choice, choiceText, scheduleInput } from "./input.js";
import type { BenchNeeds, Fleet } from "./needs.js";
import { recommendation, type Recommendation } from "./recommend.js";
import { type Verdict, verdict } from "./verdict.js";

/** The view. */
export interface Bench {
  element: HTMLElement;
  draw(): void;
  repaint(): void;
  /** Takes a policy from elsewhere, and what is known of the fleet. */
  take(policy: string, clients: number, capacity: number | undefined): void;
}

/** Makes the view. */
export function bench(n: BenchNeeds): Bench {
  return new View(n);
}

class View implements Bench {
  readonly element = h("div", { class: "bench" });
  private readonly needs: BenchNeeds;
  private readonly fleet: Fleet;
  private choice: Choice;
  private readonly others: string[];
  private readonly judge: Verdict;
  private readonly race: Comparison;
  private readonly advice: Recommendation;
  private timer = 0;

  constructor(n: BenchNeeds) {
    this.needs = n;
    const { policies, clients, capacity } = n.linked.bench;
    this.fleet = { clients, capacity };
    this.choice = { kind: policies[0]?.startsWith("lib:") ? "library" : "policy", text: policies[0] ?? "exp:1s:30s" };
    this.others = policies.length > 1 ? policies.slice(1) : ["full:1s:30s"];
    // Simulations may take seconds, and give way to the next: their worker is their own.
    const slow = new Clerk(n.office);
    this.judge = verdict(n);
    this.race = comparison(slow, this.others, () => this.changed());
    this.advice = recommendation(new Clerk(n.office));
  }

  take(policy: string, clients: number, capacity: number | undefined): void {
    this.choice = { kind: policy.startsWith("lib:") ? "library" : "policy", text: policy };
    if (clients > 0) this.fleet.clients = Math.max(clients, 10);
    if (capacity) this.fleet.capacity = capacity;
  }

  draw(): void {
    fill(this.element,
      h("div", { class: "hero" }, h("h1", null, t("bench.title")), h("p", { class: "lede" }, t("bench.lede"))),
      h("div", { class: "desk" },
        h("section", { class: "card ask" },
          h("h2", null, t("bench.schedule")),
          scheduleInput(this.choice, this.needs.catalogue, (c) => {
            this.choice = c;
            this.changed();
          }),
          h("h2", null, t("bench.fleet")),
          dial({ label: t("bench.clients"), hint: t("bench.clients.hint"), value: this.fleet.clients, least: 10, most: 1_000_000, set: (v) => {
            this.fleet.clients = Math.round(v);
            this.changed();
          } }),
          dial({ label: t("bench.capacity"), hint: t("bench.capacity.hint"), value: this.fleet.capacity, least: 1, most: 100_000, set: (v) => {
            this.fleet.capacity = v;
            this.changed();
          } }),
          h("div", { class: "row" }, copyButton(() => benchLink([choiceText(this.choice), ...this.others].filter(Boolean), this.fleet.clients, this.fleet.capacity), t("link.copy"))),
        ),
        this.judge.element,
      ),
      this.race.element, this.advice.element,
    );
    this.judge.draw();
    this.race.draw();
    this.advice.draw();
    this.ask();
  }

  repaint(): void {
    this.race.repaint();
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(), 120);
  }

  private ask(): void {
    void this.judge.ask(this.choice, this.fleet);
    void this.race.ask(choiceText(this.choice), this.fleet);
    void this.advice.ask(this.fleet);
  }
}
