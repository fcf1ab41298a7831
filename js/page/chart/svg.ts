// Small pictures as SVG, made node by node.

/** Makes an SVG element. */
export function s(tag: string, attributes: Record<string, string | number | undefined>, ...children: (Node | string)[]): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) e.setAttribute(name, String(value));
  e.append(...children);
  return e;
}
