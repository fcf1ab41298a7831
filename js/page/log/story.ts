// The story: what happened, who, when, how bad, and what to do. The order is that of core/render, the gravest first.
import { h } from "../dom.js";
import { clock, count, day, decimal, percent, period, span } from "../i18n/figure.js";
import { phrase } from "../i18n/phrase.js";
import { t } from "../i18n/index.js";
import { copyButton } from "./copy.js";
import { equalLives, unevenLives } from "./lives.js";
import type { Finding, MassDrop, Report, Wave } from "../../src/report.js";
import { advice } from "./wording.js";

/** The sentences of the story. */
export function sentences(r: Report): string[] {
  const out = [...together(r), ...groupLine(r)];
  const n = r.totals.clients_by_risk.HIGH + r.totals.clients_by_risk.CRITICAL;
  if (n > 0) out.push(t("story.danger", { clients: r.totals.clients, n }));
  out.push(amounts(r));
  if (r.totals.clients > 0 && r.findings.every(small)) out.unshift(r.findings.length === 0 ? t("story.calm") : t("story.minor", { n: r.findings.length }));
  return out;
}

// Nothing that anybody has to act on.
const small = (f: Finding) => f.severity === "low" || f.severity === "info";

// What all did together.
function together(r: Report): string[] {
  const of = (rule: string) => r.findings.filter((f) => f.rule === rule && f.subject === "fleet");
  const out: string[] = [];
  const [stall] = of("metastable");
  if (stall) out.push(t("story.metastable", { from: clock(text(stall, "from")), to: clock(text(stall, "to")), attempts: num(stall, "attempts"), opens: num(stall, "opens"), usual: decimal(num(stall, "usual_per_s")) }));
  const [herd] = of("herd");
  if (herd) {
    const tall = tallest(r.fleet.waves);
    out.push(t(num(herd, "waves") > 1 ? "story.herd.waves" : "story.herd", {
      clients: num(herd, "clients"), waves: num(herd, "waves"), at: clock(tall?.at ?? text(herd, "at")), peak: decimal(num(herd, "peak_per_s")), width: span(num(herd, "width_ms")),
    }));
  }
  const drop = largest(r.fleet.mass_drops);
  if (drop) out.push(dropLine(drop) + (r.fleet.mass_drops.length > 1 ? moreDrops(r.fleet.mass_drops) : ""));
  const [beat] = of("phase-lock");
  if (beat) out.push(t("story.beat", { share: percent(num(beat, "share")), period: span(num(beat, "period_ms")) }));
  return out;
}

function moreDrops(drops: MassDrop[]): string {
  const times = drops.map((d) => d.at).sort();
  const [from, to] = [times[0]!, times.at(-1)!];
  const dated = (at: string) => (day(from) === day(to) ? "" : `${day(at)} `) + clock(at);
  return t("story.drop.more", { n: drops.length, from: dated(from), to: dated(to) });
}

function dropLine(d: MassDrop): string {
  const values = { sessions: d.sessions, clients: d.clients, at: clock(d.at), by: phrase(d.closed_by), life: span(d.lifetime_ms ?? 0) };
  const why = equalLives(d) ? t("story.drop.equal", values) : unevenLives(d) ? t("story.drop.uneven") : "";
  return t(d.closed_by === "unknown" ? "story.drop" : "story.drop.by", values) + why + t("stop");
}

function groupLine(r: Report): string[] {
  const g = r.groups.find((g) => g.clients > 1 && g.findings.some((f) => f.severity === "high" || f.severity === "critical"));
  return g ? [t("story.group", { name: g.group || t("group.none"), clients: g.clients, share: percent(g.share) })] : [];
}

function amounts(r: Report): string {
  const n = r.totals;
  const length = r.input.from && r.input.to ? Date.parse(r.input.to) - Date.parse(r.input.from) : 0;
  const parts = [
    n.sessions && t("story.sessions", { n: n.sessions }), n.refused && t("story.refused", { n: n.refused }),
    n.aborted && t("story.aborted", { n: n.aborted }), n.closes && t("story.closes", { n: n.closes }),
  ].filter(Boolean);
  const begin = t(length > 0 ? "story.amounts.in" : "story.amounts", { clients: n.clients, attempts: n.attempts, time: span(length) });
  return begin + (parts.length > 0 ? t("story.colon") + parts.join(t("story.comma")) : "") + t("stop");
}

const num = (f: Finding, key: string): number => Number(f.evidence[key] ?? 0);
const text = (f: Finding, key: string): string => String(f.evidence[key] ?? "1970-01-01T00:00:00Z");

function tallest(waves: Wave[]): Wave | undefined {
  return waves.reduce<Wave | undefined>((best, w) => (!best || w.peak_per_s > best.peak_per_s ? w : best), undefined);
}

function largest(drops: MassDrop[]): MassDrop | undefined {
  return drops.reduce<MassDrop | undefined>((best, d) => (!best || d.sessions > best.sessions ? d : best), undefined);
}

/** The most attempts in one bin of the overview, or undefined. */
function busiest(r: Report): { at: number; n: number; length: number } | undefined {
  const a = r.arrivals;
  if (!a.from || a.attempts.length === 0) return undefined;
  const per = Math.max(1, Math.round(1000 / a.bin_ms));
  let best = { at: 0, n: 0, length: per * a.bin_ms };
  for (let i = 0; i < a.attempts.length; i += per) {
    let n = 0;
    for (let k = i; k < Math.min(i + per, a.attempts.length); k++) n += a.attempts[k]!;
    if (n > best.n) best = { at: Date.parse(a.from) + i * a.bin_ms, n, length: per * a.bin_ms };
  }
  return best.n > 0 ? best : undefined;
}

/** What to change, once each, the gravest first. */
export function actions(r: Report, most: number): string[] {
  const out: string[] = [];
  for (const f of r.findings) {
    if (!["medium", "high", "critical"].includes(f.severity) || !f.advice) continue;
    const a = advice(f);
    if (!out.includes(a)) out.push(a);
    if (out.length === most) break;
  }
  return out;
}

// The rows of the incident: a word and what is known of it.
function facts(r: Report): [string, string][] {
  const rows: [string, string][] = [];
  if (r.input.from && r.input.to) rows.push([t("fact.when"), period(r.input.from, r.input.to)]);
  for (const m of r.marks.slice(0, 4)) rows.push([t("fact.mark"), `${m.label}, ${clock(m.at)} UTC`]);
  const d = largest(r.fleet.mass_drops);
  if (d) {
    rows.push([t("fact.dropped"), t("fact.dropped.at", { sessions: d.sessions, clients: d.clients, at: clock(d.at, Date.parse(d.at) % 1000 !== 0) }) + others(r.fleet.mass_drops, d)]);
    rows.push([t("fact.trigger"), t("fact.closed.by", { by: phrase(d.closed_by) }) + (equalLives(d) ? t("fact.equal", { life: span(d.lifetime_ms ?? 0) }) : unevenLives(d) ? t("fact.uneven") : "")]);
    if (d.not_returned !== null) rows.push([t("fact.lost"), d.not_returned === 0 ? t("fact.lost.none") : t("fact.lost.n", { n: d.not_returned })]);
  }
  const waves = r.fleet.waves;
  if (waves.length > 0) {
    const tall = tallest(waves)!;
    rows.push([t("fact.wave"), t("fact.wave.at", { at: clock(tall.at), attempts: tall.attempts, clients: tall.clients, width: span(tall.width_ms) }) + (waves.length > 1 ? t("fact.wave.of", { n: waves.length }) : "")]);
    rows.push([t("fact.peak"), t("fact.peak.n", { peak: decimal(tall.peak_per_s) }) + (r.fleet.capacity_seen ? t("fact.kept.up", { n: decimal(r.fleet.capacity_seen) }) : "")]);
    const last = waves[waves.length - 1]!;
    rows.push([t("fact.over"), `${clock(Date.parse(last.at) + last.width_ms)} UTC`]);
  } else {
    const b = busiest(r);
    if (b) rows.push([t("fact.busiest"), t("fact.busiest.at", { n: b.n, length: span(b.length), at: clock(b.at) })]);
  }
  return rows;
}

// When else many sessions ended at one moment: in a rolling restart every node drops its own.
function others(drops: MassDrop[], d: MassDrop): string {
  const rest = drops.filter((o) => o !== d);
  if (rest.length === 0) return "";
  const shown = rest.length === 5 ? 5 : 4;
  const times = rest.slice(0, shown).map((o) => (day(o.at) === day(d.at) ? "" : `${day(o.at)} `) + clock(o.at)).join(t("story.comma"));
  return t("fact.dropped.also", { times }) + (rest.length > shown ? t("fact.dropped.more", { n: rest.length - shown }) : "");
}

/** The section of the story. */
export function storySection(r: Report, damaged: string[], change: () => void): HTMLElement {
  const [lead, ...rest] = sentences(r);
  const todo = actions(r, 4);
  const calm = r.findings.length === 0;
  const minor = !calm && r.findings.every(small);
  const tiles: [string, string, string][] = [
    [count(r.totals.clients), t("tile.clients"), ""],
    [count(r.totals.attempts), t("tile.attempts"), ""],
    [count(r.totals.refused), t("tile.refused"), r.totals.attempts ? percent(r.totals.refused / r.totals.attempts) : ""],
    [count(r.totals.clients_by_risk.HIGH + r.totals.clients_by_risk.CRITICAL), t("tile.danger"), r.totals.clients ? percent((r.totals.clients_by_risk.HIGH + r.totals.clients_by_risk.CRITICAL) / r.totals.clients) : ""],
  ];
  const rows = facts(r);
  const plain = () => [lead, ...rest, "", ...rows.map(([k, v]) => `- ${k}: ${v}`), ...(todo.length ? ["", t("todo"), ...todo.map((a) => `- [ ] ${a}`)] : [])].join("\n");
  return h("section", { class: `story ${calm ? "calm" : minor ? "minor" : ""}` },
    h("p", { class: "kicker" }, t(r.fleet.verdict === "herd" ? "verdict.herd" : calm ? "verdict.calm" : minor ? "verdict.minor" : "verdict.found")),
    h("h1", { class: "lead" }, lead),
    rest.map((s) => h("p", null, s)),
    h("dl", { class: "tiles" }, tiles.map(([value, label, share]) => h("div", null, h("dt", null, label), h("dd", null, value, share && h("span", { class: "share" }, share))))),
    damaged.length > 0 && h("p", { class: "note", role: "note" }, t("note.cut", { names: damaged.join(", ") })),
    r.warnings.length > 0 && h("ul", { class: "note" }, r.warnings.map((w) => h("li", null, phrase(w)))),
    h("div", { class: "columns" },
      rows.length > 0 && h("div", null, h("h2", { class: "minor" }, t("facts")), h("dl", { class: "facts" }, rows.map(([k, v]) => h("div", null, h("dt", null, k), h("dd", null, v))))),
      todo.length > 0 && h("div", null, h("h2", { class: "minor" }, t("todo")), h("ol", { class: "todo" }, todo.map((a) => h("li", null, a)))),
    ),
    h("div", { class: "row" }, copyButton(plain, t("story.copy"), ""), h("button", { type: "button", class: "quiet", onclick: change }, t("look.change"))),
  );
}
