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
