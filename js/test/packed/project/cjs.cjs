// The same by require.
const { readFileSync } = require("node:fs");
const { loadSync } = require("stormlint");
const { Guard } = require("stormlint/guard");
const { toBeStormSafe } = require("stormlint/matchers");
const { assertStormSafe } = require("stormlint/node-test");
const { stormlintChai } = require("stormlint/chai");
const { fullJitterDelay, ReconnectingSocket } = require("stormlint/reconnect");
const { lintSchedule } = require("stormlint/testkit");

for (const part of [Guard, ReconnectingSocket, stormlintChai]) if (typeof part !== "function") throw new Error("an entry lacks its name");
if (toBeStormSafe("fixed:1s").pass) throw new Error("a fixed wait passes");
(async () => {
  assertStormSafe(await lintSchedule((attempt) => fullJitterDelay(attempt, 1000, 30_000)));
  const { check } = await import("./check.js");
  console.log(await check(loadSync(), readFileSync(`${__dirname}/sample.ndjson`)));
})();
