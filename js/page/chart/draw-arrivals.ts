// One frame of the arrivals: attempts above the line, the accepted part darker; ends of sessions below it.
import { count } from "../i18n/figure.js";
import { colours } from "./colours.js";
import type { Level } from "./levels.js";
import { step, timeLabel, times } from "./ticks.js";

/** What is drawn besides the bars. Instants in ms since 1970. */
export interface Scene {
  waves: { from: number; to: number }[];
  drops: number[];
  marks: { at: number; label: string }[];
  /** Handshakes a second; undefined: unknown. */
  capacity: number | undefined;
  /** The capacity is what was seen, not what somebody said. */
  seen: boolean;
  /** What is said in the picture: the capacity line's name, and what the height counts. */
  words: { capacity: string; height: string };
  /** The bin below the pointer, by its start; undefined: none. */
  hover: number | undefined;
}

/** Where things lie in the picture, in CSS pixels. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
  middle: number;
}

const names = ["fg", "dim", "line", "attempt", "open", "close", "wave", "danger", "card", "bg"] as const;

/** The layout for a size. */
export function plot(width: number, height: number): Plot {
  const top = 26;
  const bottom = height - 24;
  return { left: window.innerWidth <= 704 ? 38 : 48, right: width - 10, top, bottom, middle: Math.round(top + (bottom - top) * 0.74) };
}

/** Draws a frame. */
export function drawArrivals(canvas: HTMLCanvasElement, l: Level, from: number, to: number, s: Scene): void {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d")!;
  const c = colours(names);
  const p = plot(width, height);
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  const x = (t: number) => p.left + ((t - from) / (to - from)) * (p.right - p.left);
  const first = Math.max(0, Math.floor((from - l.from) / l.bin));
  const last = Math.min(l.attempts.length, Math.ceil((to - l.from) / l.bin));
  let most = 1;
  let ends = 0;
  for (let i = first; i < last; i++) {
    most = Math.max(most, l.attempts[i]!);
    ends = Math.max(ends, l.closes[i]!);
  }
  const limit = s.capacity === undefined ? undefined : (s.capacity * l.bin) / 1000;
  const tick = Math.max(1, step(most, 4));
  const high = Math.max(most * 1.08, limit !== undefined && limit < most * 3 ? limit * 1.15 : 0);
  const up = (p.middle - p.top) / high;
  const down = (p.bottom - p.middle - 4) / Math.max(ends, most * 0.25, 1);

  g.save();
  g.beginPath();
  g.rect(p.left, 0, p.right - p.left, p.bottom);
  g.clip();
  g.fillStyle = c.wave;
  for (const w of s.waves) {
    if (w.to < from || w.from > to) continue;
    const a = x(w.from);
    g.fillRect(a, p.top, Math.max(x(w.to) - a, 2), p.bottom - p.top);
  }
  g.restore();

  g.strokeStyle = c.line;
  g.fillStyle = c.dim;
  g.lineWidth = 1;
  g.textAlign = "right";
  g.textBaseline = "middle";
  for (let v = 0; v <= high; v += tick) {
    const y = Math.round(p.middle - v * up) + 0.5;
    line(g, p.left, y, p.right, y);
    g.fillText(short(v), p.left - 6, y);
  }
  g.textAlign = "left";
  g.fillText(s.words.height, 2, 9);
  let axis = times(from, to, Math.max(2, Math.floor((p.right - p.left) / 60)));
  if (axis.step < 60_000) axis = times(from, to, Math.max(2, Math.floor((p.right - p.left) / 90))); // seconds are longer labels
  g.textAlign = "center";
  g.textBaseline = "top";
  for (const at of axis.at) {
    const px = Math.round(x(at)) + 0.5;
    if (px < p.left || px > p.right) continue;
    line(g, px, p.bottom, px, p.bottom + 4);
    g.fillText(timeLabel(at, axis.step), Math.min(Math.max(px, p.left + 16), p.right - 20), p.bottom + 7);
  }

  g.save();
  g.beginPath();
  g.rect(p.left, p.top - 2, p.right - p.left, p.bottom - p.top + 2);
  g.clip();
  const gap = (l.bin / (to - from)) * (p.right - p.left) > 4 ? 1 : 0;
  const bars = (values: number[], colour: string, unit: number, sign: 1 | -1) => {
    g.fillStyle = colour;
    for (let i = first; i < last; i++) {
      const v = values[i]!;
      if (v === 0) continue;
      const a = x(l.from + i * l.bin);
      const w = Math.max(x(l.from + (i + 1) * l.bin) - a - gap, 1);
      const tall = Math.max(v * unit, 1.5);
      g.fillRect(a, sign > 0 ? p.middle - tall : p.middle + 1, w, tall);
    }
  };
  if (s.hover !== undefined) {
    g.fillStyle = c.line;
    const a = x(s.hover);
    g.fillRect(a, p.top, Math.max(x(s.hover + l.bin) - a, 1), p.bottom - p.top);
  }
  bars(l.attempts, c.attempt, up, 1);
  bars(l.opens, c.open, up, 1);
  bars(l.closes, c.close, down, -1);
  g.restore();

  g.strokeStyle = c.dim;
  line(g, p.left, p.middle + 0.5, p.right, p.middle + 0.5);
  if (limit !== undefined && limit <= high) {
    const y = Math.round(p.middle - limit * up) + 0.5;
    g.strokeStyle = c.danger;
    g.setLineDash(s.seen ? [3, 4] : [8, 4]);
    line(g, p.left, y, p.right, y);
    g.setLineDash([]);
    // At the side where it hides less, on a ground of its own.
    const wide = g.measureText(s.words.capacity).width;
    const under = Math.ceil(((wide + 12) / (p.right - p.left)) * (last - first));
    const tallest = (a: number, b: number) => l.attempts.slice(Math.max(a, first), Math.min(b, last)).reduce((m, v) => Math.max(m, v), 0);
    const left = tallest(first, first + under) <= tallest(last - under, last);
    g.globalAlpha = 0.85;
    g.fillStyle = c.card;
    g.fillRect(left ? p.left + 3 : p.right - wide - 7, y - 19, wide + 4, 15);
    g.globalAlpha = 1;
    label(g, s.words.capacity, left ? p.left + 5 : p.right - 5, y - 7, left ? "left" : "right", c.danger, c.card);
  }
  for (const at of s.drops) {
    if (at < from || at > to) continue;
    const px = x(at);
    // Not in the colour of the ends, which stand behind it.
    g.fillStyle = c.fg;
    g.strokeStyle = c.card;
    g.lineWidth = 3;
    g.beginPath();
    g.moveTo(px - 5, p.bottom + 1);
    g.lineTo(px + 5, p.bottom + 1);
    g.lineTo(px, p.bottom - 8);
    g.closePath();
    g.stroke();
    g.fill();
    g.lineWidth = 1;
  }
  // Labels that would overlap step down a line.
  let edge = -Infinity;
  let row = 0;
  for (const m of s.marks) {
    if (m.at < from || m.at > to) continue;
    const px = Math.round(x(m.at)) + 0.5;
    g.strokeStyle = c.fg;
    line(g, px, p.top - 6, px, p.bottom);
    row = px < edge ? (row + 1) % 3 : 0;
    const text = m.label.length > 24 ? m.label.slice(0, 23) + "…" : m.label;
    const wide = g.measureText(text).width;
    edge = Math.max(edge, px + wide + 12);
    const right = px + wide + 8 > p.right;
    label(g, text, right ? px - 4 : px + 4, p.top + 6 + row * 14, right ? "right" : "left", c.fg, c.card);
  }
}

function line(g: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}

function label(g: CanvasRenderingContext2D, text: string, x: number, y: number, align: "left" | "right", colour: string, halo: string): void {
  g.textAlign = align;
  g.textBaseline = "alphabetic";
  g.lineJoin = "round";
  g.lineWidth = 3;
  g.strokeStyle = halo;
  g.strokeText(text, x, y);
  g.fillStyle = colour;
  g.fillText(text, x, y);
  g.lineWidth = 1;
}

function short(v: number): string {
  return v >= 1e6 ? `${+(v / 1e6).toPrecision(3)}M` : v >= 10_000 ? `${+(v / 1e3).toPrecision(3)}k` : count(v);
}
