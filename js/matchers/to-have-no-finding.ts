import { explain } from "../testkit/message.js";
import { verdictOf } from "./received.js";
import type { Answer } from "./to-be-storm-safe.js";

/** Passes when one rule did not fire, at any severity. */
export function toHaveNoFinding(received: unknown, rule: string): Answer {
  if (typeof rule !== "string" || rule === "") throw new TypeError(`stormlint: rule is ${JSON.stringify(rule)}, expected a rule's name such as "growth-locked"`);
  const verdict = verdictOf(received);
  const found = verdict.findings.filter((f) => f.rule === rule);
  return {
    pass: found.length === 0,
    message: () =>
      found.length === 0
        ? `expected a finding ${rule}, and there is none\n`
        : `expected no finding ${rule}\n\n${explain(verdict, found)}\n`,
  };
}
