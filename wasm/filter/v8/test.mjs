// The filter on Node's V8: node test.mjs FILTER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Process, VM } from "./host.mjs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));

// What the filter wants of a host: a change is a decision, and may leave hosts behind.
const env = WebAssembly.Module.imports(module).filter((i) => i.module === "env").map((i) => i.name).sort();
assert.deepEqual([...new Set(env)], [
  "proxy_define_metric", "proxy_get_buffer_bytes", "proxy_get_header_map_pairs", "proxy_get_header_map_value", "proxy_get_property",
  "proxy_get_shared_data", "proxy_increment_metric", "proxy_log", "proxy_record_metric", "proxy_send_local_response",
  "proxy_set_shared_data", "proxy_set_tick_period_milliseconds",
]);
// What a host calls: for a request four callbacks, for the chunks of its tunnel none.
assert.deepEqual(WebAssembly.Module.exports(module).map((e) => e.name).filter((n) => n.startsWith("proxy_")).sort(), [
  "proxy_abi_version_0_2_0", "proxy_on_configure", "proxy_on_context_create", "proxy_on_delete", "proxy_on_memory_allocate",
  "proxy_on_request_headers", "proxy_on_response_headers", "proxy_on_tick", "proxy_on_vm_start",
]);

const upgrade = [[":method", "GET"], [":path", "/ws?token=secret"], [":authority", "example.org"], ["upgrade", "websocket"], ["connection", "Upgrade"], ["user-agent", "app/1"]];
let now = 1_800_000_000_000_000_000n;

// Four VMs share one limit exactly.
let p = new Process('{"mode":"enforce","key":"ip","rate":1,"burst":100,"log":0}', () => now);
let vms = [0, 1, 2, 3].map(() => new VM(module, p));
const count = {};
for (let i = 0; i < 1000; i++) {
  const status = vms[i % 4].request(upgrade, `192.0.2.1:${i}`);
  count[status] = (count[status] ?? 0) + 1;
}
assert.deepEqual(count, { 0: 100, 429: 900 });
assert.equal(p.metric("stormlint.handshakes.outcome=refused.limit=client"), 900n);
assert.equal(vms[0].request([[":method", "GET"], [":path", "/"]], "192.0.2.1:1"), 0);

// Lines, and the minute's.
p = new Process('{"key":"ip"}', () => now);
vms = [0, 1, 2, 3].map(() => new VM(module, p));
for (let i = 0; i < 400; i++) {
  now += 100_000_000n;
  vms[i % 4].request(upgrade, `192.0.2.${i % 10}:1`);
}
for (let i = 0; i < 90; i++) {
  now += 1_000_000_000n;
  for (const v of vms) v.tick();
}
assert.equal(p.log.filter((l) => l.includes('"event_type":"connect"')).length, 400);
assert.equal(p.log.filter((l) => l.includes("secret")).length, 0);
const minutes = p.log.filter((l) => l.startsWith("2 minute "));
assert.equal(minutes.reduce((n, l) => n + JSON.parse(l.slice(9)).attempts, 0), 400);
assert.equal(p.metric("stormlint.faults"), 0n);

// A bad configuration is refused in words.
assert.throws(() => new VM(module, new Process('{"burst":0}')), /bad configuration: filter: burst is 0, expected at least 1/);

console.log(`V8: four VMs share one limit exactly; 400 lines, ${minutes.length} minutes; ${(vms[0].x.memory.buffer.byteLength / 2 ** 20).toFixed(1)} MiB a VM`);
