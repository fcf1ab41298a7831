// A number over several powers of ten: a slider for the hand, a field for the exact value.
import { fresh, h } from "../dom.js";
import { count } from "../i18n/figure.js";

/** Makes the two, which follow each other. */
export function dial(o: { label: string; hint: string; value: number; least: number; most: number; set(v: number): void }): HTMLElement {
  const id = fresh("dial");
  const steps = 300;
  const place = (v: number) => Math.round((Math.log(v / o.least) / Math.log(o.most / o.least)) * steps);
  const slider = h("input", { type: "range", min: 0, max: steps, value: String(place(o.value)), "aria-label": o.label, "aria-valuetext": count(o.value), oninput: () => {
    const raw = o.least * (o.most / o.least) ** (Number(slider.value) / steps);
    const v = Number(raw.toPrecision(2));
    field.value = String(v);
    slider.setAttribute("aria-valuetext", count(v));
    o.set(v);
  } });
  const field = h("input", { id, type: "number", min: o.least, max: o.most, step: "any", value: String(o.value), inputmode: "decimal", "aria-describedby": `${id}-hint`, oninput: () => {
    const v = Number(field.value);
    const fits = v >= o.least && v <= o.most;
    field.setAttribute("aria-invalid", String(!fits));
    if (!fits) return;
    slider.value = String(place(v));
    slider.setAttribute("aria-valuetext", count(v));
    o.set(v);
  } });
  return h("div", { class: "dial" }, h("label", { for: id }, o.label), field, slider, h("p", { class: "hint", id: `${id}-hint` }, o.hint));
}
