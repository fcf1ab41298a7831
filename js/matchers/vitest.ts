/** Adds stormlint's matchers to vitest: `import "stormlint/vitest"`. */
import { expect } from "vitest";
import * as matchers from "./index.js";
import type { StormSafeOptions } from "./index.js";

declare module "vitest" {
  interface Matchers<T = any> {
    /** No finding at or above `failOn` (high). The value is a SPEC, runs of delays in ms, or a kit's awaited verdict. */
    toBeStormSafe(options?: StormSafeOptions): T;
    /** This rule did not fire, at any severity. */
    toHaveNoFinding(rule: string): T;
  }
}

expect.extend(matchers);
