// How somebody waits, in few words.
import { t } from "../i18n/index.js";
import type { Schedule } from "../../src/report.js";

/** "in step, fixed:1s"; nothing where it is undecided. */
export function scheduleText(s: Schedule | null | undefined): string {
  if (!s || s.verdict === "undecided") return "";
  const word = t(s.verdict === "locked" ? "schedule.locked" : "schedule.jittered");
  return s.policy ? `${word}${t("list.comma")}${s.policy}` : word;
}
