import { expect } from "@jest/globals";
import "stormlint/jest";
import { lintTask } from "stormlint/testkit";

const verdict = await lintTask((attempt) => attempt());
expect(verdict).toBeStormSafe({ failOn: "medium" });
expect(verdict).not.toHaveNoFinding("fixed-locked");
// @ts-expect-error: a reason is a text
expect(verdict).toBeStormSafe({ allow: { "fixed-locked": true } });
