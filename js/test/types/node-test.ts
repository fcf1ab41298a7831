import { assertNoFinding, assertStormSafe } from "stormlint/node-test";
import { toBeStormSafe, type Answer } from "stormlint/matchers";
import { lintSchedule } from "stormlint/testkit";

const verdict = await lintSchedule("window:25s", { fleet: { clients: 1000, capacity: 50, runtime: "js" } });
assertStormSafe(verdict, { failOn: "low" });
assertNoFinding(verdict, "fixed-locked");
export const answer: Answer = toBeStormSafe(verdict);
// @ts-expect-error: a promise must be awaited
assertStormSafe(lintSchedule("window:25s"));
