import type { Clock } from "./clock.js";
import type { Source } from "./random.js";

type Enter = (clock: Clock, source: Source, WebSocket: unknown) => () => void;

/** The page of the run that is on: what the wake scenario wakes. */
let on: { readonly window: EventTarget; readonly document: EventTarget & { visibilityState: string; hidden: boolean } } | undefined;

/** Gives globalThis what a client asks of a page, beside what the stage replaces; undone by the function it returns. */
export function page(enter: Enter, clock: Clock, source: Source, WebSocket: unknown): () => void {
  const leave = enter(clock, source, WebSocket);
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: "visible", hidden: false, cookie: "", location: { href: "http://localhost/" } });
  on = { window, document };
  const undo: [string, PropertyDescriptor | undefined][] = [];
  for (const [key, value] of Object.entries({
    window: globalThis,
    self: globalThis,
    document,
    navigator: { onLine: true, userAgent: "Mozilla/5.0 stormlint" },
    location: new URL("http://localhost/"),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
  })) {
    undo.push([key, Object.getOwnPropertyDescriptor(globalThis, key)]);
    Object.defineProperty(globalThis, key, { value, configurable: true, writable: true, enumerable: true });
  }
  return () => {
    on = undefined;
    for (const [key, old] of undo.reverse()) {
      if (old) Object.defineProperty(globalThis, key, old);
      else delete (globalThis as Record<string, unknown>)[key];
    }
    leave();
  };
}

/** What happens when a laptop's lid opens: the network is back and the tab is visible, all in one instant. */
export function wake(): void {
  if (!on) return;
  for (const type of ["online", "pageshow", "focus"]) on.window.dispatchEvent(new Event(type));
  on.document.dispatchEvent(new Event("visibilitychange"));
}
