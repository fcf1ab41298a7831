import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { StormlintError, loadSync } from "stormlint";

const s = loadSync();
const log = readFileSync(new URL("../../host/cmd/stormlint/sample.ndjson", import.meta.url));
const options = { name: "sample.ndjson" };
const want = s.analyzeSync(log, options);
const code = (word) => (e) => e instanceof StormlintError && e.code === word;

test("the sample is read", () => {
  assert.equal(want.schema, "stormlint/report/1");
  assert.equal(want.input.used, 1417);
  assert.equal(want.totals.attempts, 1289);
});

test("nothing gives the report of no records, however it is given", async () => {
  const a = s.analyzer();
  const none = a.finish();
  a.close();
  assert.equal(none.input.records, 0);
  assert.equal(none.totals.clients, 0);
  assert.deepEqual(s.analyzeSync(""), none);
  for (const empty of ["", new Uint8Array(), new Blob([]), Readable.from([])]) assert.deepEqual(await s.analyze(empty), none);
});

test("every kind of input gives the same report", async () => {
  const pieces = function* () {
    for (let at = 0; at < log.length; at += 10_007) yield log.subarray(at, at + 10_007);
  };
  const cut = gzipSync(log.subarray(0, 100_000));
  const whole = gzipSync(log);
  for (const [kind, input] of Object.entries({
    bytes: log,
    buffer: log.buffer.slice(log.byteOffset, log.byteOffset + log.length),
    text: log.toString(),
    blob: new Blob([log]),
    file: new File([log], "sample.ndjson"),
    "web stream": new Blob([log]).stream(),
    "node stream": Readable.from(pieces()),
    "text stream": Readable.from(log.toString().match(/[^]{1,5000}/g)),
    iterable: pieces(),
    gzip: whole,
    "gzip, two members": Buffer.concat([cut, gzipSync(log.subarray(100_000))]),
    "gzip stream": new Blob([whole]).stream(),
  })) {
    assert.deepEqual(await s.analyze(input, options), want, kind);
  }
});

test("what cannot be read is an error", async () => {
  await assert.rejects(s.analyze(42), code("bad-value"));
  await assert.rejects(s.analyze(Readable.from([1, 2])), code("bad-value"));
  await assert.rejects(s.analyze(gzipSync(log).subarray(0, 500)), code("bad-syntax"));
  await assert.rejects(s.analyze(log, { frobnicate: 1 }), code("bad-usage"));
  await assert.rejects(s.analyze(log, { format: "cuneiform" }), code("not-found"));
  await assert.rejects(s.analyze("this is no log\n".repeat(3)), code("unreadable"));
  await assert.rejects(s.analyze('[{"timestamp":1,"client_ip":"a","event_type":"open"},{}]', { compat: true }),
    (e) => code("bad-value")(e) && e.record === 1 && e.line === 1 && e.field === "event_type" && e.value === '"open"');
});

test("a file that vanishes while it is read is one error, told once", async () => {
  const gone = (ms) => new Promise((_, no) => setTimeout(no, ms, new Error("gone")));
  class Vanishing extends Blob {
    get size() {
      return 20 << 20;
    }
    slice(at) {
      return { arrayBuffer: () => gone(at === 0 ? 20 : 0) };
    }
  }
  await assert.rejects(s.analyze(new Vanishing(["x"])), /gone/); // and no unhandled rejection of the slice read ahead
});

test("an analyzer writes, merges, finishes and is asked", () => {
  const half = log.indexOf(10, 120_000) + 1;
  const plan = s.sniff(log);
  const a = s.analyzer(options, { plan });
  const b = s.analyzer(options, { plan, index: 1 });
  b.write(log.subarray(half));
  a.write(log.subarray(0, 777));
  a.write(log.subarray(777, half).toString());
  a.merge(b.state());
  b.close();
  assert.throws(() => a.page(), code("bad-usage"));
  assert.deepEqual(a.finish(), want);
  assert.throws(() => a.write("x"), code("closed"));
  const page = a.page({ sort: "client", offset: 1, n: 2 });
  assert.equal(page.total, 64);
  assert.equal(page.clients.length, 2);
  assert.deepEqual(a.client(want.clients[0].key).attempts, want.clients[0].attempts);
  const series = a.series("2026-11-30T10:00:00Z", "2026-11-30T10:00:10Z", 1000);
  assert.equal(series.attempts.length, 10);
  assert.ok(series.attempts[0] > 50);
  a.close();
  a.close();
  assert.throws(() => a.page(), code("closed"));
});

test("compat and other forms", async () => {
  const report = await s.analyze(log, { compat: true, evaluated_at: "2026-01-01T00:00:00Z" });
  assert.equal(report.evaluated_at, "2026-01-01T00:00:00Z");
  assert.equal(report.analyzed_clients.length, 64);
  assert.match(new TextDecoder().decode(await s.analyzeRaw(log, { ...options, output: "text" })), /64 clients made 1,289 attempts/);
});

test("a zone crosses as a table", async () => {
  const naive = log.toString().replaceAll('Z","client', '","client');
  assert.equal((await s.analyze(naive, { tz: "Europe/Berlin" })).input.from, "2026-11-30T08:40:03.569Z");
  await assert.rejects(s.analyze(naive, { tz: "Mars/Olympus" }), code("bad-value"));
});

test("lint, delays, simulate, recommend", async () => {
  assert.ok(s.lint({ policy: "fixed:1s" }).findings.some((f) => f.rule === "fixed-locked"));
  assert.deepEqual(s.delays("fixed:1s", 3), [1000, 1000, 1000]);
  assert.throws(() => s.lint({ policy: "steam:1s" }), StormlintError);
  assert.ok(Array.isArray(s.simulate({ clients: 200, capacity: 50, policy: ["full:1s:30s"] }).results));
  assert.ok(typeof s.recommend({ clients: 200, capacity: 50 }).policy === "string");
  const refused = (field, value) => ({ code: "bad-value", field, value, message: `${field} is ${value}, expected a finite number` });
  assert.throws(() => s.simulate({ clients: Infinity, capacity: 50, policy: ["full:1s:30s"] }), refused("clients", "Infinity"));
  assert.throws(() => s.recommend({ clients: 200, capacity: NaN }), refused("capacity", "NaN"));
  await assert.rejects(s.analyze("{}", { top: NaN }), refused("top", "NaN"));
  await assert.rejects(s.analyze("{}", { capacity: 10n }), refused("capacity", "10"));
});
