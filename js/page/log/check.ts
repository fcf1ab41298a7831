// The view that checks a log: what was dropped, how it is read, how far it is, and the report.
import { fill, h, say } from "../dom.js";
import { t } from "../i18n/index.js";
import { ofError, ofKind, problem, type Problem } from "../problem.js";
import type { Head } from "../worker/head.js";
import { analyze, type Analysis } from "./analyze.js";
import { inputs, watchDrops, type Given } from "./inputs.js";
import { lookAt, type Look } from "./look.js";
import type { CheckNeeds } from "./needs.js";
import { Progress } from "./progress.js";
import { problemCard } from "./problem-card.js";
import { reading, type ReadingPanel } from "./reading.js";
import { ReportView } from "./report.js";
import { coreOptions, judging, readAlike, type Settings } from "./settings.js";

/** A view of the page. */
export interface Check {
  element: HTMLElement;
  /** Draws everything anew, in the language of the moment. */
  draw(): void;
  /** Draws the pictures anew, in the colours of the moment. */
  repaint(): void;
}

type State =
  | { phase: "start"; problem?: Problem }
  | { phase: "reading"; files: File[]; progress: Progress; look?: Look | undefined }
  | { phase: "failed"; files: File[]; problem: Problem; look?: Look | undefined }
  | { phase: "done"; files: File[]; look?: Look | undefined; analysis: Analysis; view: ReportView };

/** Makes the view. */
export function check(needs: CheckNeeds): Check {
  return new View(needs);
}

class View implements Check {
  readonly element = h("div", { class: "check" });
  private readonly needs: CheckNeeds;
  private settings: Settings;
  private state: State = { phase: "start" };
  private turn = 0;
  private stop = new AbortController();
  private panel: ReadingPanel | undefined;

  constructor(needs: CheckNeeds) {
    this.needs = needs;
    this.settings = needs.linked.settings;
    watchDrops((given) => this.take(given));
  }

  draw(): void {
    const s = this.state;
    if (s.phase === "done") s.view.leave();
    switch (s.phase) {
      case "start":
        fill(this.element, inputs({ take: (g) => this.take(g), sample: () => this.trySample(), problem: s.problem && problemCard(s.problem, "h2") }));
        break;
      case "reading":
        fill(this.element, s.progress.element, this.readingPanel(s.files, s.look, true));
        s.progress.draw();
        break;
      case "failed":
        fill(this.element, this.bar(s.files), problemCard(s.problem, "h1", s.problem.unknown ? s.look : undefined, () => void this.read(s.files)), this.readingPanel(s.files, s.look, s.problem.settings));
        break;
      case "done":
        fill(this.element, this.bar(s.files), s.view.element, this.readingPanel(s.files, s.look, false));
        s.view.draw();
    }
  }

  repaint(): void {
    if (this.state.phase === "done") this.state.view.repaint();
  }

  private to<S extends State>(state: S): S {
    if (this.state.phase === "done") this.state.view.close();
    this.state = state;
    this.draw();
    return state;
  }

  // The files of the moment, and the way back.
  private bar(files: File[]): HTMLElement {
    const again = h("button", { type: "button", class: "quiet", onclick: () => this.restart() }, t("another"));
    return h("div", { class: "bar" }, h("p", { class: "files" }, files.map((f) => h("bdi", { class: "file" }, f.name))), again);
  }

  private restart(problem?: Problem): void {
    this.turn++;
    this.stop.abort();
    this.to(problem ? { phase: "start", problem } : { phase: "start" });
    if (problem) say(`${problem.title} ${problem.todo}`);
    else this.element.querySelector<HTMLElement>("button, input")?.focus();
  }

  private async trySample(): Promise<void> {
    try {
      await this.read([await this.needs.sample.get()]);
    } catch (e) {
      this.restart(ofError(e));
    }
  }

  private take(given: Given): void {
    if ("problem" in given) this.restart(given.problem);
    else void this.read(given.files);
  }

  private async read(files: File[]): Promise<void> {
    const turn = ++this.turn;
    const { office, desk, catalogue } = this.needs;
    this.stop.abort();
    const { signal } = (this.stop = new AbortController());
    const progress = new Progress(files, () => this.restart());
    const state: State & { phase: "reading" } = { phase: "reading", files, progress };
    this.to(state);
    window.scrollTo({ top: 0 });
    const stale = () => this.turn !== turn;
    let at = "";
    let analysis: Analysis | undefined;
    try {
      const heads: Head[] = [];
      for (const file of files) {
        at = file.name;
        const head = await desk.ask<Head>({ op: "head", file, name: file.name });
        if (stale()) return;
        const wrong = ofKind(head.kind, file.name);
        if (wrong) return this.restart(wrong);
        heads.push(head);
      }
      if (files.length > 1) at = "";
      state.look = await lookAt(desk, heads[0]!.bytes, this.settings).catch(() => undefined);
      if (stale()) return;
      this.draw();
      analysis = await analyze(office, files, coreOptions(this.settings), { signal, progress: (p) => progress.tell(p) });
      if (stale()) return analysis.close();
      await catalogue.ready;
      const { report } = analysis;
      if (report.totals.attempts + report.totals.closes + report.totals.nameless === 0 && report.input.used === 0) {
        const nothing = problem("problem.nothing", "problem.nothing.do", { n: report.input.records }, "", true);
        analysis.close();
        return this.fail(files, nothing, state.look);
      }
      if (stale()) return analysis.close();
      this.to(this.told(files, state.look, analysis)).view.announce();
    } catch (e) {
      analysis?.close();
      if (stale()) return;
      this.fail(files, ofError(e, at), state.look);
    }
  }

  private told(files: File[], look: Look | undefined, analysis: Analysis): State & { phase: "done" } {
    const { report } = analysis;
    const view = new ReportView({ ...this.needs, files, settings: this.settings, analysis, report, look, change: () => this.panel?.open() });
    return { phase: "done", files, look, analysis, view };
  }

  // A capacity, marks and what else only judges are answered from what the worker holds; the rest needs another reading,
  // since it decides which events there are. What cannot be used is told, and the report stays.
  private async apply(files: File[], settings: Settings): Promise<Problem | undefined> {
    const s = this.state;
    if (s.phase !== "done" || !readAlike(settings, this.settings)) {
      this.settings = settings;
      void this.read(files);
      return undefined;
    }
    try {
      await s.analysis.again(judging(settings));
    } catch (e) {
      return this.state === s ? ofError(e) : undefined;
    }
    if (this.state !== s) return undefined;
    this.settings = settings;
    s.view.leave();
    const now = this.told(files, s.look, s.analysis);
    this.state = now;
    this.draw();
    window.scrollTo({ top: 0 });
    now.view.announce();
    return undefined;
  }

  private fail(files: File[], problem: Problem, look: Look | undefined): void {
    this.to({ phase: "failed", files, problem, look });
    say(`${problem.title} ${problem.todo}`);
  }

  private readingPanel(files: File[], look: Look | undefined, open: boolean): HTMLElement {
    this.panel = reading({
      look, open, settings: this.settings, desk: this.needs.desk, catalogue: this.needs.catalogue, file: files[0]!,
      apply: (settings) => this.apply(files, settings),
    });
    return this.panel.element;
  }
}
