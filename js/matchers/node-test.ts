/** Assertions for node:test, or any runner that takes an AssertionError. */
import { AssertionError } from "node:assert";
import { toBeStormSafe, toHaveNoFinding, type Answer, type StormSafeOptions, type Received } from "./index.js";

/** Throws unless no finding is at or above `failOn` (high). */
export function assertStormSafe(received: Received, options?: StormSafeOptions): void {
  check(toBeStormSafe(received, options), assertStormSafe);
}

/** Throws if the rule fired, at any severity. */
export function assertNoFinding(received: Received, rule: string): void {
  check(toHaveNoFinding(received, rule), assertNoFinding);
}

function check(answer: Answer, stackStartFn: (...given: never[]) => void): void {
  if (!answer.pass) throw new AssertionError({ message: answer.message(), stackStartFn });
}
