/**
 * stormlint/testkit: watches any client's reconnects on a clock of its own and lints what it did.
 */
export { Clock, type Runtime } from "./clock.js";
export { KitError } from "./errors.js";
export type { Connection, Fate, Frame, Handshake } from "./fate.js";
export { lintClient, lintRuns, lintSchedule, lintTask, type LintClientOptions, type Schedule, type ScheduleOptions, type Task, type WorldOptions } from "./lint.js";
export { observe, type ClientOptions, type Observation } from "./observe.js";
export { run, type Bench, type Ending, type Factory, type RunOptions, type Trace } from "./run.js";
export { scenarios, type Scenario } from "./scenario.js";
export { Verdict, type Finding, type LintResult, type SafeOptions, type Severity, type Step } from "./verdict.js";
