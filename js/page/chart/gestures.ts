// Pointers and keys on a picture of time: drag pans, two fingers or the wheel with Ctrl scale, arrows and + − do the same.
import type { Span } from "./window.js";

/** Where the picture's time axis lies, in CSS pixels. */
export interface Axis {
  left(): number;
  right(): number;
}

/** Listens on an element; changed is called after every move, over with the instant below the pointer. Gives the way to stop. */
export function gestures(element: HTMLElement, span: Span, axis: Axis, changed: () => void, over: (at: number | undefined, x: number) => void): () => void {
  const pointers = new Map<number, number>();
  const end = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(kind: K, f: (e: HTMLElementEventMap[K]) => void, passive = true) => element.addEventListener(kind, f, { signal: end.signal, passive });
  const local = (clientX: number) => clientX - element.getBoundingClientRect().left;
  const instant = (px: number) => span.from + ((px - axis.left()) / (axis.right() - axis.left())) * (span.to - span.from);
  on("pointerdown", (e) => {
    if (e.button !== 0) return;
    element.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, e.clientX);
  });
  on("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    if (before === undefined) {
      const px = local(e.clientX);
      over(px >= axis.left() && px <= axis.right() ? instant(px) : undefined, px);
      return;
    }
    over(undefined, 0);
    const scale = (span.to - span.from) / (axis.right() - axis.left());
    if (pointers.size === 1) span.move((before - e.clientX) * scale);
    else {
      const other = [...pointers].find(([id]) => id !== e.pointerId)![1];
      const [was, is] = [Math.abs(before - other), Math.abs(e.clientX - other)];
      if (was > 8 && is > 8) span.zoom(was / is, instant(local((e.clientX + other) / 2)));
    }
    pointers.set(e.pointerId, e.clientX);
    changed();
  });
  for (const kind of ["pointerup", "pointercancel"] as const) on(kind, (e) => void pointers.delete(e.pointerId));
  on("pointerleave", () => over(undefined, 0));
  on("dblclick", (e) => {
    span.zoom(0.4, instant(local(e.clientX)));
    changed();
  });
  on("wheel", (e) => {
    if (e.ctrlKey || e.metaKey) span.zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) / 150), instant(local(e.clientX)));
    else if (Math.abs(e.deltaX) > Math.abs(e.deltaY) && !span.whole) span.move((e.deltaX * (span.to - span.from)) / (axis.right() - axis.left()));
    else return;
    e.preventDefault();
    changed();
  }, false);
  on("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const act: Record<string, () => void> = {
      ArrowLeft: () => span.pan(-0.15), ArrowRight: () => span.pan(0.15), PageUp: () => span.pan(-0.9), PageDown: () => span.pan(0.9),
      "+": () => span.zoom(0.6), "=": () => span.zoom(0.6), "-": () => span.zoom(1 / 0.6), "0": () => span.reset(), Home: () => span.move(-Infinity), End: () => span.move(Infinity),
    };
    if (!act[e.key]) return;
    e.preventDefault();
    act[e.key]!();
    changed();
  }, false);
  return () => end.abort();
}
