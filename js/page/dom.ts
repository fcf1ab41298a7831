// Elements are made here and nowhere else. Text is always a text node: no markup is ever parsed, so whatever a log holds
// stays letters.

/** What can stand inside an element. */
export type Child = Node | string | number | false | null | undefined | Child[];

/** Attributes, listeners (on…) and properties of an element. */
export interface Props {
  [name: string]: unknown;
}

const properties = new Set(["value", "checked", "disabled", "hidden", "indeterminate", "open", "selected", "multiple", "readOnly", "inert"]);

/** Makes an element: h("button", { class: "primary", onclick: go }, "Go"). */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value as EventListener);
    else if (properties.has(name)) (e as unknown as Record<string, unknown>)[name] = value;
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  add(e, children);
  return e;
}

/** Appends children. */
export function add(parent: Node, children: Child): void {
  if (Array.isArray(children)) for (const c of children) add(parent, c);
  else if (children instanceof Node) parent.appendChild(children);
  else if (children !== null && children !== undefined && children !== false) parent.appendChild(document.createTextNode(String(children)));
}

/** Replaces what stands inside an element. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

let last = 0;

/** An id that nothing else has. */
export function fresh(word: string): string {
  return `${word}-${++last}`;
}

/** Text of a log: bidirectional controls are shown as what they are, and the direction is the text's own matter. */
export function foreign(text: string, most = 400): HTMLElement {
  return h("bdi", { class: "foreign" }, visible(text, most));
}

/** The same as plain text, for labels and titles. */
export function visible(text: string, most = 400): string {
  const cut = text.length > most ? text.slice(0, most) + "…" : text;
  // eslint-disable-next-line no-control-regex
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (c) => `⟨U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

const speaker = h("div", { class: "unseen", role: "status", "aria-live": "polite" });

/** Tells a screen reader something; the element belongs into the page once. */
export function say(text: string): void {
  if (!speaker.isConnected) document.body.append(speaker);
  speaker.textContent = text;
}
