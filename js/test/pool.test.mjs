import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker as Thread } from "node:worker_threads";
import { constants, gzipSync } from "node:zlib";

import { StormlintError, loadSync } from "stormlint";

const s = loadSync();
const sample = new URL("../../host/cmd/stormlint/sample.ndjson", import.meta.url);
const log = readFileSync(sample);
const lines = log.toString().trim().split("\n");
const array = Buffer.from("[" + lines.join(",\n ") + "]\n");
const compat = { compat: true, evaluated_at: "2026-01-01T00:00:00Z" };
const code = (word) => (e) => e instanceof StormlintError && e.code === word;
const text = (bytes) => new TextDecoder().decode(bytes);
const alone = (input, options) => text(wholeRaw(input, options));

function wholeRaw(input, options) {
  const a = s.analyzer(options);
  a.write(input);
  const raw = a.finishRaw();
  a.close();
  return raw;
}

test("any number of workers gives the same bytes, lines and arrays", async () => {
  for (const [kind, input] of Object.entries({ lines: log, array }))
    for (const options of [{ name: "x" }, compat])
      for (const workers of [0, 2, 5]) {
        const got = await s.analyzeRaw(new Blob([input]), { ...options, workers, smallest_part: 1000 });
        assert.equal(text(got), alone(input, options), `${kind} ${workers} ${options.compat}`);
      }
});

test("what looks like an array's boundary and is none is found out", async () => {
  const trap = lines.map((l, i) => l.replace(/}$/, `,"note":"a},{b","list":[{"x":${i}},{"y":[{},{"z":2}]}]}`));
  for (const end of ["]\n", "]\n[]\n", `]\n[${lines[0]},\n${lines[1]}]`, ""]) {
    const input = Buffer.from("[" + trap.join(",") + end);
    for (const options of [{}, compat]) {
      const errors = [];
      const say = async (f) => {
        try {
          return text(await f());
        } catch (e) {
          errors.push(e);
          return `${e.code} ${e.message} ${e.record} ${e.line}`;
        }
      };
      const want = await say(() => wholeRaw(input, options));
      const got = await say(() => s.analyzeRaw(input, { ...options, workers: 3, smallest_part: 2000 }));
      assert.equal(got, want, JSON.stringify([end, options]));
    }
  }
});

test("every kind of log of the corpus, in parts", async () => {
  const folder = new URL("../../testdata/logs/", import.meta.url);
  const files = readdirSync(folder).filter((n) => /\.(log|json|ndjson)$/.test(n));
  for (const name of files.filter((_, i) => i % 8 === 0)) {
    const input = readFileSync(new URL(name, folder));
    const want = alone(input, { name });
    const a = await s.analyzeFiles([{ input, name }], { workers: 2, smallest_part: Math.ceil(input.length / 5) });
    a.close();
    assert.equal(text(a.raw), want, name);
  }
});

test("every kind of input, and several at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stormlint-"));
  const path = join(folder, "sample.ndjson");
  writeFileSync(path, log);
  const want = alone(log, { name: "sample.ndjson" });
  const pieces = function* () {
    for (let at = 0; at < log.length; at += 10_007) yield log.subarray(at, at + 10_007);
  };
  for (const [kind, input] of Object.entries({
    path: { path }, url: pathToFileURL(path), file: new File([log], "sample.ndjson"), "zstd, two frames": { input: readFileSync(new URL("sample.ndjson.zst", import.meta.url)), name: "sample.ndjson" }, gzip: { input: gzipSync(log), name: "sample.ndjson" },
    "web stream": { input: new Blob([log]).stream(), name: "sample.ndjson" }, "node stream": { input: Readable.from(pieces()), name: "sample.ndjson" },
    "gzip stream": { input: Readable.from([gzipSync(log)]), name: "sample.ndjson" },
  })) {
    const a = await s.analyzeFiles([input], { workers: 2, smallest_part: 50_000 });
    assert.equal(text(a.raw), want, kind);
    a.close();
  }
  const half = log.indexOf(10, 120_000) + 1;
  const two = [{ input: log.subarray(0, half), name: "a" }, { input: gzipSync(log.subarray(half)), name: "b" }];
  const one = await s.analyzeFiles(two, { workers: 1 });
  const many = await s.analyzeFiles(two, { workers: 3, smallest_part: 20_000 });
  assert.equal(text(many.raw), text(one.raw));
  assert.equal(many.report.totals.attempts, 1289);
  assert.deepEqual(many.report.input.sources.map((x) => x.name), ["a", "b"]);
  one.close();
  many.close();
});

test("a finished analysis is asked for more, and closed", async () => {
  const seen = [];
  const a = await s.analyzeFiles([new File([log], "sample.ndjson")], { workers: 2, smallest_part: 50_000, progress: (p) => seen.push(p) });
  const page = await a.page({ sort: "client", offset: 1, n: 2 });
  assert.equal(page.total, 64);
  assert.equal(page.clients.length, 2);
  assert.equal((await a.client(a.report.clients[0].key)).attempts, a.report.clients[0].attempts);
  assert.equal((await a.series("2026-11-30T10:00:00Z", "2026-11-30T10:00:10Z", 1000)).attempts.length, 10);
  await assert.rejects(a.client("nobody"), StormlintError);
  assert.deepEqual([seen.at(-1).bytes, seen.at(-1).total, seen.at(-1).records], [log.length, log.length, 1417]);
  a.close();
  a.close();
  await assert.rejects(a.page(), code("closed"));
});

test("failures have names, and leave nothing running", async () => {
  const cut = gzipSync(log).subarray(0, 5_000);
  const a = await s.analyzeFiles([{ input: cut, name: "cut.gz" }], { workers: 2 });
  assert.equal(a.damaged.length, 1);
  assert.equal(a.damaged[0].source, "cut.gz");
  assert.ok(a.report.input.used > 100);
  a.close();
  for (const [after, message] of [[Buffer.alloc(700), undefined], [gzipSync(""), undefined], [Buffer.from("this is none"), "what follows the gzip data from byte 9330 on is no gzip"]]) {
    const padded = gzipSync(log);
    const c = await s.analyzeFiles([Buffer.concat([padded, after])], { workers: 0 });
    assert.equal(c.damaged[0]?.message, message?.replace("9330", padded.length));
    assert.equal(c.report.input.used, 1417);
    c.close();
  }
  const zst = readFileSync(new URL("sample.ndjson.zst", import.meta.url));
  const b = await s.analyzeFiles([{ input: zst.subarray(0, -100), name: "cut.zst" }], { workers: 1 });
  assert.match(b.damaged[0].message, /zstd data is cut off after \d+ bytes/);
  assert.ok(b.report.input.used > 700);
  b.close();
  await assert.rejects(s.analyze(Buffer.concat([zst.subarray(0, 4), Buffer.from([0xa0, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])])), code("unsupported"));
  await assert.rejects(s.analyzeFiles([cut], { ...compat, workers: 2 }), code("bad-syntax"));
  await assert.rejects(s.analyzeFiles([], {}), code("bad-usage"));
  await assert.rejects(s.analyzeFiles([{ path: "/no/such/file" }], { workers: 1 }), (e) => code("unreadable")(e) && /no such file/.test(e.message));
  await assert.rejects(s.analyzeFiles([log], { workers: 1.5 }), code("bad-value"));
  const gone = new Error("gone");
  for (const nothing of [undefined, null, 5]) {
    for (const workers of [0, 2]) await assert.rejects(s.analyzeFiles([nothing], { workers }), code("bad-value"));
    await assert.rejects(s.analyze(nothing), code("bad-value"));
  }
  await assert.rejects(s.analyzeFiles([log], { progress: 5 }), code("bad-value"));
  const thrower = { progress: () => { throw gone; }, smallest_part: 1000 };
  for (const workers of [0, 1, 2]) await assert.rejects(s.analyzeFiles([log], { ...thrower, workers }), (e) => e === gone, `${workers} workers`);
  await assert.rejects(s.analyzeFiles([log], { workers: 2, frobnicate: 1 }), code("bad-usage"));
  await assert.rejects(s.analyzeFiles(["this is no log\n".repeat(3)], { workers: 2 }), code("unreadable"));
  await assert.rejects(s.analyzeFiles([Readable.from([1, 2])], { workers: 2 }), code("bad-value"));
  await assert.rejects(s.analyzeFiles([(async function* () { yield log; throw gone; })()], { workers: 2 }), (e) => e === gone);
  await assert.rejects(s.analyzeFiles([log], { signal: AbortSignal.abort(new Error("before")) }), /before/);
  const control = new AbortController();
  const endless = (async function* () { for (;;) yield log; })();
  const work = s.analyzeFiles([endless], { workers: 2, signal: control.signal, progress: () => control.abort(new Error("enough")) });
  await assert.rejects(work, /enough/);
});

test("a refused stream ends at once, however long it is, and its source is let go", async () => {
  for (const workers of [0, 2]) {
    let done = false;
    const long = (async function* () {
      try {
        for (;;) yield log;
      } finally {
        done = true;
      }
    })();
    await assert.rejects(s.analyzeFiles([long], { format: "nonsense", workers }), /unknown format: nonsense/);
    let cancelled = false;
    const control = new AbortController();
    let pulls = 0;
    const quiet = new ReadableStream({ // one piece, and then nothing for ever
      pull: (c) => (++pulls === 1 ? c.enqueue(log) : (setImmediate(() => control.abort(new Error("enough"))), new Promise(() => {}))),
      cancel: () => void (cancelled = true),
    }, { highWaterMark: 0 });
    await assert.rejects(s.analyzeFiles([quiet], { workers, signal: control.signal }), /enough/);
    await new Promise(setImmediate);
    assert.deepEqual({ done, cancelled }, { done: true, cancelled: true }, `${workers} workers`);
    // A source that cannot be closed tells nobody who has gone: no rejection is left unhandled, which would end the process.
    const stuck = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: log }), return: () => Promise.reject(new Error("cannot close")) }) };
    await assert.rejects(s.analyzeFiles([stuck], { format: "nonsense", workers }), /unknown format: nonsense/);
    await new Promise(setImmediate);
  }
});

test("damaged data in a stream ends its reading, though the stream goes on", async () => {
  let done = false;
  const broken = (async function* () {
    try {
      yield gzipSync(log);
      for (;;) yield Buffer.from("this is no gzip");
    } finally {
      done = true;
    }
  })();
  const a = await s.analyzeFiles([{ input: broken, name: "broken.gz" }], { workers: 2 });
  assert.equal(a.damaged.length, 1);
  a.close();
  await new Promise(setImmediate);
  assert.equal(done, true);
});

// Workers whose thread does something else than it should.
async function withThreads(act, run) {
  const { postMessage } = Thread.prototype;
  Thread.prototype.postMessage = act(postMessage);
  try {
    await run();
  } finally {
    Thread.prototype.postMessage = postMessage;
  }
}

test("workers that do not start: crashed, whatever is waiting", async () => {
  const many = Array.from({ length: 5 }, () => log);
  await withThreads(() => function () {
    this.emit("error", new Error("its script cannot be loaded"));
  }, async () => {
    for (const workers of [1, 2, 5]) await assert.rejects(s.analyzeFiles(many, { workers }), (e) => code("crashed")(e) && /its script cannot be loaded/.test(e.message));
  });
  // A module that starts nowhere.
  const nothing = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  await withThreads((post) => function (m, transfer) {
    return post.call(this, m.name === "start" ? { ...m, given: [nothing] } : m, transfer);
  }, () => assert.rejects(s.analyzeFiles(many, { workers: 2 }), code("mismatch")));
});

test("a worker that dies in the middle: crashed, and nobody waits for the others", async () => {
  const endless = (async function* () { for (;;) yield log; })();
  let runs = 0;
  await withThreads((post) => function (m, transfer) {
    if (m.name === "run" && ++runs === 2) return void this.terminate();
    return post.call(this, m, transfer);
  }, () => assert.rejects(s.analyzeFiles([endless, log, log, log], { workers: 2 }), (e) => code("crashed")(e) && /a worker died/.test(e.message)));
});

test("a gzip file that breaks off in the middle of being read is its own error, and nobody waits", async () => {
  const stored = gzipSync(Buffer.alloc(24 << 20, log), { level: constants.Z_NO_COMPRESSION });
  const gone = new DOMException("The file changed", "NotReadableError");
  const changing = new Blob([stored]);
  const { slice } = changing;
  changing.slice = (from, to) => (from >= 8 << 20 ? { arrayBuffer: () => Promise.reject(gone) } : slice.call(changing, from, to));
  await assert.rejects(s.analyzeFiles([changing], { workers: 0 }), (e) => e.name === "NotReadableError");
});

test("zstd: every frame says how much memory it wants, and every frame is asked", async () => {
  const zst = readFileSync(new URL("sample.ndjson.zst", import.meta.url));
  const greedy = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
  const padding = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  for (const before of [[zst], [zst, padding]]) {
    const all = Buffer.concat([...before, greedy]);
    for (const size of [61, 1000, all.length]) {
      const pieces = function* () {
        for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
      };
      await assert.rejects(s.analyzeFiles([Readable.from(pieces())], { workers: 0 }), code("unsupported"), `${before.length} before, in pieces of ${size}`);
    }
  }
  const padded = Buffer.concat([zst, padding, zst]);
  for (const size of [61, padded.length]) {
    const a = await s.analyzeFiles([Readable.from((function* () {
      for (let at = 0; at < padded.length; at += size) yield padded.subarray(at, at + size);
    })())], { workers: 0 });
    assert.deepEqual([a.report.input.used, a.damaged], [2 * 1417, []], `pieces of ${size}`);
    a.close();
  }
});
