// The whole log as a strip below the picture, with the shown part as a window that can be dragged.
import { colours } from "../chart/colours.js";
import { Span } from "../chart/window.js";
import { h } from "../dom.js";
import type { Arrivals } from "../../src/report.js";

/** The strip. */
export interface Overview {
  element: HTMLElement;
  paint(): void;
  /** Forgets the drawn bars, as after a change of colours. */
  forget(): void;
  listen(): () => void;
}

/** Makes the strip; changed is called when the window was dragged. */
export function overview(a: Arrivals, span: Span, changed: () => void): Overview {
  const canvas = h("canvas", { class: "strip", "aria-hidden": "true" });
  const frame = h("div", { class: "window", "aria-hidden": "true" });
  const element = h("div", { class: "overview" }, canvas, frame);
  let drawn = "";
  const most = a.attempts.reduce((m, v) => Math.max(m, v), 1);
  const bars = () => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [element.clientWidth, element.clientHeight];
    const key = `${width} ${height} ${ratio}`;
    if (key === drawn || width === 0) return;
    drawn = key;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const g = canvas.getContext("2d")!;
    g.scale(ratio, ratio);
    g.fillStyle = colours(["attempt"]).attempt;
    const n = a.attempts.length;
    // The tallest of the bins that share a pixel, so that no wave is lost.
    for (let px = 0; px < width; px++) {
      let tall = 0;
      for (let i = Math.floor((px * n) / width); i < Math.max(Math.floor(((px + 1) * n) / width), Math.floor((px * n) / width) + 1) && i < n; i++) tall = Math.max(tall, a.attempts[i]!);
      const y = tall === 0 ? 0 : Math.max(1, Math.sqrt(tall / most) * (height - 2));
      g.fillRect(px, height - y, 1, y);
    }
  };
  const all = span.last - span.first;
  return {
    element,
    paint() {
      bars();
      const left = ((span.from - span.first) / all) * 100;
      frame.style.left = `${left}%`;
      frame.style.width = `${Math.max(((span.to - span.from) / all) * 100, 0.4)}%`;
      element.classList.toggle("whole", span.whole);
    },
    forget() {
      drawn = "";
    },
    listen() {
      const end = new AbortController();
      const at = (e: PointerEvent) => span.first + ((e.clientX - element.getBoundingClientRect().left) / element.clientWidth) * all;
      let grip = 0;
      let held = false;
      element.addEventListener("pointerdown", (e) => {
        if (span.whole) return;
        const t = at(e);
        if (t < span.from || t > span.to) span.show(t - (span.to - span.from) / 2, t + (span.to - span.from) / 2);
        grip = t - span.from;
        held = true;
        element.setPointerCapture(e.pointerId);
        changed();
      }, { signal: end.signal });
      element.addEventListener("pointermove", (e) => {
        if (!held) return;
        span.move(at(e) - grip - span.from);
        changed();
      }, { signal: end.signal });
      for (const kind of ["pointerup", "pointercancel"] as const) element.addEventListener(kind, () => (held = false), { signal: end.signal });
      return () => end.abort();
    },
  };
}
