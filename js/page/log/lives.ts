// How long the sessions of a drop had lived: what tells a limit from an event.
import type { MassDrop } from "../../src/report.js";

/** Lives of one length: a timeout or an age limit ended them. */
export function equalLives(d: MassDrop): boolean {
  const cv = d.lifetimes_cv;
  return cv !== null && (cv < 0.03 || (cv < 0.1 && cv * (d.lifetime_ms ?? 0) < 2000));
}

/** Lives of many lengths: an event ended them. */
export function unevenLives(d: MassDrop): boolean {
  return d.lifetimes_cv !== null && d.lifetimes_cv >= 0.2;
}
