/** The matchers, without a runner: who wants no side effect registers them alone. */
export { toBeStormSafe, type Answer } from "./to-be-storm-safe.js";
export { toHaveNoFinding } from "./to-have-no-finding.js";
export type { Received, StormSafeOptions } from "./received.js";
