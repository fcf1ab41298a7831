import { exponentialDelay } from "axios-retry";
import { test } from "node:test";
import { assertNoFinding } from "stormlint/node-test";
import { lintSchedule } from "stormlint/testkit";

test("axios-retry draws its waits", async () => {
  assertNoFinding(await lintSchedule((attempt) => exponentialDelay(attempt)), "growth-locked");
});
