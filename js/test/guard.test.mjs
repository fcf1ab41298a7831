import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { createRequire } from "node:module";
import { once } from "node:events";
import { test } from "node:test";

import { atMost, Bucket, Door, Guard, hash, never, Queue, Rule, Table } from "stormlint/guard";

const corpus = (name) => JSON.parse(readFileSync(new URL(`../../testdata/bucket/${name}.json`, import.meta.url), "utf8"));
const limit = ({ rate, burst }) => ({ rate: Number(rate), burst: BigInt(burst) });

function same(decision, step, where) {
  assert.deepEqual(
    [decision.allowed, decision.remaining, decision.retryAfter, decision.resetAfter],
    [step.allowed, BigInt(step.remaining), step.retry_after_ns === "never" ? never : BigInt(step.retry_after_ns), BigInt(step.reset_after_ns)],
    where,
  );
}

test("a number that no second may exceed gives Go's limit, and the same are refused", () => {
  for (const c of corpus("atmost")) {
    const call = () => atMost(Number(c.per_second), c.burst === "0" ? undefined : Number(c.burst));
    if (c.limit_rate === undefined) assert.throws(call, { code: "bad-value" }, JSON.stringify(c));
    else assert.deepEqual(call(), { rate: Number(c.limit_rate), burst: Number(c.limit_burst) }, JSON.stringify(c));
  }
});

test("limits compile to the nanoseconds of Go, and the same are refused", () => {
  for (const c of corpus("limits")) {
    if (c.interval_ns === undefined) {
      assert.throws(() => Rule.compile(limit(c)), (e) => e.code === "bad-value" && e.field !== "" && e.expected !== "", JSON.stringify(c));
      continue;
    }
    const rule = Rule.compile(limit(c));
    assert.deepEqual([rule.interval, rule.span], [BigInt(c.interval_ns), BigInt(c.span_ns)], JSON.stringify(c));
  }
});

test("a bucket decides as Go's", () => {
  for (const c of corpus("bucket")) {
    const b = new Bucket(limit(c));
    c.steps.forEach((s, i) => same(b.take(BigInt(s.now_ns), BigInt(s.n ?? 1)), s, `${c.name}, step ${i}`));
  }
});

test("a crowded table decides as Go's", () => {
  for (const c of corpus("table")) {
    const t = new Table(limit(c), c.keys);
    c.steps.forEach((s, i) => same(t.take(BigInt(s.id), BigInt(s.now_ns), BigInt(s.n ?? 1)), s, `${c.name}, step ${i}`));
  }
});

test("a door decides as Go's", () => {
  for (const c of corpus("door")) {
    const d = new Door(new Table(limit(c), c.keys), new Bucket(limit(c.fleet)));
    c.steps.forEach((s, i) => {
      const [decision, gate] = d.take(BigInt(s.id), BigInt(s.now_ns));
      same(decision, s, `step ${i}`);
      assert.equal(gate, s.gate, `step ${i}`);
    });
  }
});

test("keys have Go's names, and the queue hands out Go's moments", () => {
  for (const c of corpus("hash")) assert.equal(hash(BigInt(c.seed), c.key), BigInt(c.hash), JSON.stringify(c));
  for (const c of corpus("queue")) {
    const q = new Queue({ rate: Number(c.rate), burst: 1 }, 60_000_000_000n, c.keys);
    c.steps.forEach((s, i) => assert.equal(q.wait(BigInt(s.id), BigInt(s.now_ns), BigInt(s.u)), BigInt(s.wait_ns), `step ${i}`));
  }
});

const knock = (remoteAddress, headers = {}) => ({ socket: { remoteAddress }, headers });

test("shadow lets in and counts; enforcing needs a key", () => {
  const g = new Guard();
  const out = Array.from({ length: 7 }, () => g.decide(knock("203.0.113.9")));
  assert.ok(out.every((v) => !v.refused));
  assert.deepEqual([...g.counts], [["admitted open", 5], ["would_refuse client", 2]]);
  assert.throws(() => new Guard({ mode: "enforce" }), { code: "bad-usage", field: "key" });
  assert.throws(() => new Guard({ mode: "enforce", key: "ip" }), { code: "bad-usage", field: "key" });
});

test("bad options are refused with field, value and range", () => {
  for (const [field, o] of [["mode", { mode: "Shadow" }], ["key", { key: "IP" }], ["key", { key: { header: "a b" } }], ["rate", { rate: 0 }], ["rate", { rate: -1 }], ["rate", { rate: NaN }], ["rate", { rate: "2" }],
    ["burst", { burst: 0 }], ["burst", { burst: 1.5 }], ["burst", { burst: -1 }], ["fleet rate", { fleetRate: 0 }], ["fleet rate", { fleetRate: Infinity }], ["fleet burst", { fleetBurst: 3 }],
    ["trustedProxies", { trustedProxies: ["10.0.0.0/33"] }], ["allow", { allow: ["localhost"] }], ["keys", { keys: 0 }], ["longestWait", { longestWait: 1 }], ["key", { key: "direct", trustedProxies: ["10.0.0.1"] }]])
    assert.throws(() => new Guard(o), (e) => e.code.startsWith("bad-") && e.field === field && e.value !== "" && e.expected !== "", JSON.stringify(o));
});

test("clients are told apart behind proxies, and absurd headers do no harm", () => {
  const key = (o, ...k) => new Guard(o).decide(knock(...k)).key;
  const behind = { trustedProxies: ["10.0.0.0/8", "fd00::/8"] };
  const xff = (v) => ({ "x-forwarded-for": v });
  assert.equal(key({}, "203.0.113.9", xff("1.1.1.1")), "203.0.113.9");
  assert.equal(key({}, "::ffff:203.0.113.9"), "203.0.113.9");
  assert.equal(key({}, "2001:db8:1:2:ffff::1"), "2001:db8:1:2::");
  assert.equal(key({}, "2001:db8::1"), "2001:db8::");
  assert.equal(key({}, undefined), "peer");
  assert.equal(key(behind, "10.0.0.1", xff("6.6.6.6, 198.51.100.9, 10.0.0.2")), "198.51.100.9");
  assert.equal(key(behind, "::ffff:10.0.0.1", xff("[2001:db8:7::9]:443")), "2001:db8:7::");
  assert.equal(key(behind, "10.0.0.1", xff("x".repeat(1 << 20))), "10.0.0.1");
  assert.equal(key(behind, "10.0.0.1", xff("1.1.1.1,".repeat(1 << 17) + "198.51.100.9")), "198.51.100.9");
  assert.equal(key(behind, "10.0.0.1", xff("")), "10.0.0.1");
  assert.match(key({ key: { header: "X-Device" } }, "203.0.113.9", { "x-device": "secret" }), /^header 2bb80d537b1da3e38bd30361$/);
  assert.equal(key({ key: { header: "X-Device" } }, "203.0.113.9"), "203.0.113.9");
});

test("the fleet's refusals spread: everybody is told another wait", () => {
  const g = new Guard({ mode: "enforce", key: "direct", fleetRate: 100, fleetBurst: 10, now: () => 0n });
  const waits = new Set();
  for (let i = 0; i < 500; i++) waits.add(g.decide(knock(`10.0.${i >> 8}.${i & 255}`)).hintMs);
  assert.equal(g.counts.get("refused fleet"), 490);
  assert.ok(waits.size > 450, `${waits.size} different waits`);
});

test("an upgrade server refuses by status before the handshake", async (t) => {
  const guard = new Guard({ mode: "enforce", key: "direct", rate: 0.001, burst: 1 });
  const server = createServer();
  server.on("upgrade", (request, socket) => {
    const verdict = guard.decide(request);
    if (verdict.refused) return guard.refuse(socket, verdict);
    socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const answer = () => new Promise((resolve, reject) => {
    const r = httpRequest({ port: server.address().port, headers: { Connection: "Upgrade", Upgrade: "websocket" } });
    r.on("upgrade", (response, socket) => { socket.destroy(); resolve({ status: response.statusCode }); });
    r.on("response", (response) => response.setEncoding("utf8").on("data", (body) => resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(body) })));
    r.on("error", reject).end();
  });
  assert.equal((await answer()).status, 101);
  const { status, headers, body } = await answer();
  assert.equal(status, 429);
  assert.equal(headers["ratelimit"], '"client";r=0;t=1000');
  assert.equal(headers["ratelimit-policy"], '"client";q=1;w=1000;scope=process');
  assert.equal(Number(headers["retry-after-ms"]), body.retry_after_ms);
  assert.ok(body.retry_after_ms > 100_000 && body.retry_after_ms <= 300_000 && Number(headers["retry-after"]) === Math.ceil(body.retry_after_ms / 1000));
});

test("CommonJS", () => {
  const { Guard: Required } = createRequire(import.meta.url)("stormlint/guard");
  assert.ok(!new Required().decide(knock("203.0.113.9")).refused);
});

// The table of host/guard's TestUndeclaredProxy.
test("a proxy that nobody declared: the limit for each client is suspended, and said once", async () => {
  const told = [];
  const listen = (w) => w.name === "StormlintWarning" && told.push(w.message);
  process.on("warning", listen);
  const knock = (remoteAddress, forwarded, more = {}) => ({ headers: { ...(forwarded && { "x-forwarded-for": forwarded }), ...more }, socket: { remoteAddress } });
  const many = (i) => knock("192.0.2.1", `198.51.${Math.floor(i / 250)}.${i % 250}`);
  const run = (options, request) => {
    let now = 0n;
    const guard = new Guard({ mode: "enforce", trustedProxies: ["10.0.0.0/8"], now: () => now, ...options });
    let clients = 0;
    let admitted = 0;
    for (let i = 0; i < 1000; i++) {
      now = BigInt(i) * 10_000_000n;
      const v = guard.decide(request(i));
      if (v.refused && v.gate === "client") clients++;
      if (!v.refused) admitted++;
    }
    return { guard, clients, admitted };
  };
  const { guard, clients } = run({ key: "ip" }, many);
  assert.ok(clients <= 15, String(clients));
  assert.deepEqual(guard.undeclaredProxies(), ["192.0.2.1"]);
  assert.ok(run({ key: "ip", fleetRate: 10, fleetBurst: 1 }, many).admitted <= 102);
  await new Promise(setImmediate);
  assert.equal(told.length, 2);
  assert.match(told[0], /192\.0\.2\.1 looks like a proxy that was not declared/);
  for (const [name, options, request] of [
    ["a single hammering client", { key: "ip" }, () => knock("192.0.2.1")],
    ["with one forwarded address", { key: "ip" }, () => knock("192.0.2.1", "6.6.6.6")],
    ["declared direct", { key: "direct", trustedProxies: [] }, many],
    ["key from a header", { key: { header: "X-Device" } }, (i) => knock("192.0.2.1", many(i).headers["x-forwarded-for"], { "x-device": "one" })],
    ["declared", { key: "ip", trustedProxies: ["192.0.2.1"] }, (i) => knock("192.0.2.1", `7.7.7.${i % 250}, 6.6.6.6`)],
    ["too small a share", { key: "ip" }, (i) => (i % 8 === 0 ? many(i) : knock(`203.${Math.floor(i / 250)}.${i % 7}.7`))],
  ]) {
    const { guard, clients } = run(options, request);
    assert.deepEqual(guard.undeclaredProxies(), [], name);
    if (name !== "too small a share") assert.ok(clients >= 950, `${name}: ${clients}`);
  }
  await new Promise(setImmediate);
  assert.equal(told.length, 2);
  process.off("warning", listen);
});
