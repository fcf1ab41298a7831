import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { StormlintError, load, loadSync } from "stormlint";

const require = createRequire(import.meta.url);
const wasm = readFileSync(new URL("../dist/stormlint.wasm", import.meta.url));
const { version } = require("stormlint/package.json");

test("the module loads by every way in", async () => {
  const cjs = require("stormlint");
  for (const s of [
    await load(),
    loadSync(),
    await cjs.load(),
    cjs.loadSync(),
    await load(wasm),
    loadSync(wasm),
    await load(new URL("../dist/stormlint.wasm", import.meta.url)),
    loadSync(require.resolve("stormlint/stormlint.wasm")),
    await load(loadSync().module),
  ]) {
    assert.equal(s.version, version);
    assert.equal(JSON.parse(new TextDecoder().decode(s.call("version"))).abi, 1);
  }
});

test("what is no module is an error with a code", async () => {
  const code = (want) => (e) => e instanceof StormlintError && e.code === want;
  await assert.rejects(load("/no/such/file.wasm"), code("not-built"));
  assert.throws(() => loadSync("/no/such/file.wasm"), code("not-built"));
  await assert.rejects(load(new Uint8Array(3)), code("bad-state"));
  assert.throws(() => loadSync(new Uint8Array(3)), code("bad-state"));
  assert.throws(() => loadSync(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])), code("mismatch"));
});

test("an unknown operation is the core's own error", () => {
  const s = loadSync();
  assert.throws(
    () => s.call("no-such"),
    (e) => e instanceof StormlintError && e.code === "not-found" && e.field === "operation" && e.value === '"no-such"' && e.package === "abi" && e.message.startsWith("abi: "),
  );
  assert.equal(s.version, version);
});

/** A module with the guest's exports, which all answer with one number; it imports one function from WASI. */
function liar(answer, imported = "sched_yield") {
  const exported = ["reserve", "result_ptr", "result_len", "call", "open", "feed", "state", "merge", "progress", "step", "finish", "page", "series", "client", "close", "_initialize", "abi_version"];
  const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >>> 7)]);
  const text = (s) => [s.length, ...Buffer.from(s)];
  const section = (id, body) => [id, ...leb(body.length), ...body];
  return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 0, 1, 0x7f]),
    ...section(2, [1, ...text("wasi_snapshot_preview1"), ...text(imported), 0, 0]),
    ...section(3, [2, 0, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [exported.length + 1, ...exported.flatMap((name) => [...text(name), 0, name === "abi_version" ? 1 : 2]), ...text("memory"), 2, 0]),
    ...section(10, [2, ...[1, answer].flatMap((n) => [leb(n).length + 3, 0, 0x41, ...leb(n), 0x0b])])]);
}

test("a module that lies about its memory, or wants what it may not have, is an error with a code", () => {
  for (const answer of [0x3fffffff, 0x10000]) assert.throws(() => loadSync(liar(answer)), (e) => e instanceof StormlintError && e.code === "crashed" && /lie outside its memory/.test(e.message));
  assert.throws(() => loadSync(liar(8, "path_open_all")), (e) => e instanceof StormlintError && e.code === "mismatch" && /cannot be linked/.test(e.message));
});
