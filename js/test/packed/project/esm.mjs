// Node, Deno and Bun: every entry that needs no test runner.
import { readFileSync } from "node:fs";
import { load, loadSync, StormlintError } from "stormlint";
import { Guard } from "stormlint/guard";
import { toBeStormSafe } from "stormlint/matchers";
import { assertStormSafe } from "stormlint/node-test";
import { fullJitterDelay, ReconnectingSocket } from "stormlint/reconnect";
import { lintClient, lintSchedule } from "stormlint/testkit";
import { check } from "./check.js";

const log = readFileSync(new URL("./sample.ndjson", import.meta.url));
const s = await load();
const large = await s.analyze({ path: new URL("./sample.ndjson", import.meta.url).pathname }, { workers: 2, smallest_part: 50_000 });
if (large.totals.attempts !== 1289) throw new Error("workers count otherwise");
assertStormSafe(await lintSchedule((attempt) => fullJitterDelay(attempt, 1000, 30_000)));
const client = ({ WebSocket, clock, random }) => new ReconnectingSocket("ws://example.test", undefined, { WebSocket, random, timers: clock.timers });
const verdict = await lintClient(client, { clients: 5, scenarios: ["refused", "hang"] });
assertStormSafe(verdict);
if (toBeStormSafe("fixed:1s").pass) throw new Error("a fixed wait passes");
if (new Guard({ key: "direct" }).decide({ headers: {}, socket: { remoteAddress: "192.0.2.1" } }).refused) throw new Error("the first is refused");
try {
  loadSync(new Uint8Array([1, 2, 3]));
} catch (error) {
  if (!(error instanceof StormlintError) || error.code !== "bad-state") throw error;
}
console.log(await check(s, log));
