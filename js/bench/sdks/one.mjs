// Lints one library and prints its verdict as a line of JSON; run.mjs starts it in a process of its own.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { lintClient, lintSchedule, lintTask } from "../../dist/testkit.js";
import { clients } from "./clients.mjs";

const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true; // what a library says on its way is not asked for
process.on("unhandledRejection", () => {}); // nor is a promise that a library gave up on
const client = clients.find((c) => c.name === process.argv[2]);
const options = { failures: 1100, ...client.kit, ...(client.handshake && { handshake: client.handshake }) };
if (client.fresh) options.fresh = pathToFileURL(createRequire(import.meta.url).resolve(client.fresh));
const started = performance.now();
const verdict = client.schedule ? await lintSchedule(await client.schedule())
  : client.task ? await lintTask(await client.task())
  : await lintClient(client.make, options);
const findings = verdict.findings.map(({ rule, severity, subject, message }) => ({ rule, severity, subject, message }));
print(JSON.stringify({ findings, took: performance.now() - started }) + "\n", () => process.exit(0));
