// How long the test kit takes: 50 clients, 12 attempts, every scenario but the far one, and with it. CPU time; the module is
// compiled before.
import { load } from "../dist/node.js";
import { ReconnectingSocket } from "../dist/reconnect.js";
import { lintClient, lintSchedule } from "../dist/testkit.js";

(await load()).lint({ policy: "full:1s:30s" });
const client = ({ WebSocket, clock, random }) => new ReconnectingSocket("ws://example.test", undefined, { WebSocket, random, timers: clock.timers });

async function measure(name, run) {
  const before = process.cpuUsage();
  const start = performance.now();
  await run();
  const { user, system } = process.cpuUsage(before);
  console.log(`${name.padEnd(52)} ${((user + system) / 1e6).toFixed(2)} s CPU, ${((performance.now() - start) / 1000).toFixed(2)} s`);
}

for (let i = 0; i < 3; i++) {
  await measure("lintClient, 50 × 12, refused alone", () => lintClient(client, { scenarios: ["refused"] }));
  await measure("lintClient, 50 × 12, every scenario, 2,000 failures", () => lintClient(client));
  await measure("lintSchedule, 50 × 12", () => lintSchedule((attempt) => Math.random() * 1000 * attempt));
}
