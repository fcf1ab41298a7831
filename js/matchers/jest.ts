/** Adds stormlint's matchers to jest: `import "stormlint/jest"` or `setupFilesAfterEnv: ["stormlint/jest"]`. */
import { expect } from "@jest/globals";
import * as matchers from "./index.js";
import type { StormSafeOptions } from "./index.js";

declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> {
    /** No finding at or above `failOn` (high). The value is a SPEC, runs of delays in ms, or a kit's awaited verdict. */
    toBeStormSafe(options?: StormSafeOptions): R;
    /** This rule did not fire, at any severity. */
    toHaveNoFinding(rule: string): R;
  }
}

expect.extend(matchers as unknown as Parameters<typeof expect.extend>[0]);
