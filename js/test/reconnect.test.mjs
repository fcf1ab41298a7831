import assert from "node:assert/strict";
import { test } from "node:test";

import { fullJitterDelay, OptionError, ReconnectingSocket } from "stormlint/reconnect";
import { Clock, run, scenarios } from "stormlint/testkit";

const byName = Object.fromEntries(scenarios(12, 2000).map((s) => [s.name, s]));
const setup = { seed: 1, runtime: "browser", handshake: {} };

/** A factory of our own client on the bench's clock. */
const client = (options) => ({ WebSocket, clock, random }) =>
  new ReconnectingSocket("ws://example.test/", undefined, { WebSocket, random, timers: clock.timers, ...options });

test("full jitter lies below its ceiling, whatever the attempt", () => {
  for (const attempt of [-1, 0, 1, 2, 10, 1023, 1024, 1e9]) {
    const ceiling = Math.min(30_000, 1000 * 2 ** (Math.max(attempt, 1) - 1));
    assert.equal(fullJitterDelay(attempt, 1000, 30_000, () => 0), 0);
    assert.equal(fullJitterDelay(attempt, 1000, 30_000, () => 0.5), ceiling / 2);
    assert.ok(fullJitterDelay(attempt, 1000, Infinity, () => 1 - 2 ** -53) <= 2 ** 31 - 1, "within the timer's limit");
  }
});

test("refused: fifty clients spread over the ceiling of every attempt, with one socket at a time", async () => {
  const traces = [];
  for (let i = 0; i < 50; i++) traces.push(await run(client({}), byName.refused, i, setup));
  for (let k = 0; k < 12; k++) {
    const waits = traces.map((t) => t.waits[k]);
    const ceiling = Math.min(60_000, 5000 * 2 ** k);
    assert.ok(Math.max(...waits) < ceiling && Math.max(...waits) > 0.8 * ceiling, `attempt ${k + 1}: largest ${Math.max(...waits)}`);
    assert.ok(Math.min(...waits) < 0.2 * ceiling, `attempt ${k + 1}: smallest ${Math.min(...waits)}`);
  }
  assert.ok(traces.every((t) => t.parallel === 1 && t.ending === "observed"));
});

test("two thousand failures: no overflow, no wait of nothing", async () => {
  const { waits } = await run(client({}), byName.failures, 0, setup);
  assert.equal(waits.length, 2000);
  assert.ok(waits.slice(10).every((w) => w < 60_000));
  assert.ok(waits.slice(10).reduce((a, b) => a + b) / 1990 > 28_000);
});

test("a session that does not last does not reset the schedule, a long one does", async () => {
  const flapping = await run(client({ random: () => 0.5 }), byName["open-then-dropped"], 0, setup);
  assert.deepEqual(flapping.waits.slice(0, 6), [2500, 5000, 10000, 20000, 30000, 30000]);
  const fates = [...Array(5).fill({ kind: "refused", after: 20 }), { kind: "session", after: 20, life: 600_000 }];
  const recovered = { name: "recovered", waits: 7, fate: (i) => fates[i] ?? { kind: "refused", after: 20 } };
  const { waits } = await run(client({ random: () => 0.5 }), recovered, 0, setup);
  assert.deepEqual(waits, [2500, 5000, 10000, 20000, 30000, 2500, 5000]);
});

test("window: the first wait spreads, a refusal waits the window exactly, a timeout never locks", async () => {
  const refused = await run(client({ window: 25_000 }), byName.refused, 3, setup);
  assert.ok(refused.waits[0] < 25_000);
  assert.deepEqual(refused.waits.slice(1, 5), [25_000, 25_000, 25_000, 25_000]);
  const hang = await run(client({ window: 10_000, random: () => 0 }), { ...byName.hang, waits: 6 }, 0, setup);
  assert.deepEqual(hang.waits, [0, 10_000, 20_000, 20_000, 20_000, 20_000]);
});

test("a handshake that hangs is abandoned, and its socket closed before the next is made", async () => {
  const { connections, parallel } = await run(client({ connectTimeout: 3000 }), byName.hang, 0, setup);
  assert.ok(connections.slice(0, 4).every((c) => c.byClient && c.ended - c.made === 3000));
  assert.equal(parallel, 1);
});

test("fatal codes end it, others do not", async () => {
  assert.equal((await run(client({}), byName["close-1008"], 0, setup)).ending, "gave-up");
  for (const code of [1001, 1005, 1012, 1013, 4200])
    assert.equal((await run(client({}), byName[`close-${code}`], 0, setup)).ending, "observed", `code ${code}`);
  const kept = await run(client({ fatal: [] }), byName["close-1008"], 0, setup);
  assert.equal(kept.ending, "observed");
  const own = await run(client({ fatal: (code) => code === 4200 }), byName["close-4200"], 0, setup);
  assert.equal(own.ending, "gave-up");
});

test("a server's hint is waited for, and spread over the first window", async () => {
  const firsts = [];
  for (let i = 0; i < 50; i++) firsts.push((await run(client({}), byName.hint, i, setup)).waits[0]);
  assert.ok(Math.min(...firsts) >= 30_000 && Math.max(...firsts) <= 35_000);
  assert.ok(Math.max(...firsts) - Math.min(...firsts) > 4000, "not all at once");
});

test("maxAttempts gives up and says so once", async () => {
  const closes = [];
  const t = await run((b) => {
    const s = client({ maxAttempts: 3 })(b);
    s.onclose = () => closes.push(s.readyState);
    return s;
  }, byName.refused, 0, setup);
  assert.equal(t.ending, "gave-up");
  assert.equal(t.waits.length, 3);
  assert.deepEqual(closes, [0, 0, 0, 3]);
});

test("it has the shape of a WebSocket: send, buffer, events, close", async () => {
  const clock = new Clock("browser");
  const log = [];
  const sent = [];
  class Fake {
    static made = [];
    readyState = 0;
    protocol = "chat";
    constructor(url, protocols) {
      Object.assign(this, { url, protocols });
      Fake.made.push(this);
    }
    send(data) {
      sent.push(data);
    }
    close(code, reason) {
      this.readyState = 3;
      this.onclose?.({ code, reason, wasClean: true });
    }
  }
  const s = new ReconnectingSocket("ws://h/", ["chat"], { WebSocket: Fake, buffer: 1, timers: clock.timers, random: () => 0.5 });
  for (const type of ["open", "message", "close", "error", "delay"]) s.addEventListener(type, () => log.push(type));
  s.onmessage = (event) => log.push(event.data);
  assert.equal(s.readyState, ReconnectingSocket.CONNECTING);
  s.send("kept");
  assert.throws(() => s.send("too much"), { name: "InvalidStateError" });
  const [first] = Fake.made;
  first.readyState = 1;
  first.onopen({});
  assert.deepEqual([s.readyState, s.protocol, sent], [1, "chat", ["kept"]]);
  first.onmessage({ data: "hello" });
  first.readyState = 3;
  first.onclose({ code: 1006, reason: "", wasClean: false });
  assert.deepEqual(log, ["open", "hello", "message", "close", "delay"]);
  assert.equal(s.readyState, 0);
  first.onopen?.({}); // a late echo of an older generation changes nothing
  assert.equal(s.readyState, 0);
  assert.equal(clock.upcoming, 2500);
  s.close(1000, "bye");
  assert.equal(s.readyState, 3);
  assert.equal(clock.pending, 0, "nothing is left behind");
  assert.throws(() => s.send("late"), { name: "InvalidStateError" });
});

test("options outside their range name the field, the value and the range", () => {
  for (const [options, field] of [
    [{ base: 0 }, "base"], [{ base: NaN }, "base"], [{ cap: 10, base: 20 }, "cap"], [{ factor: 0.5 }, "factor"], [{ window: -1 }, "window"],
    [{ maxAttempts: 0 }, "maxAttempts"], [{ connectTimeout: "soon" }, "connectTimeout"], [{ buffer: -1 }, "buffer"], [{ stableAfter: 2 ** 31 }, "stableAfter"],
  ])
    assert.throws(() => new ReconnectingSocket("ws://h/", undefined, { WebSocket: class {}, ...options }), (error) => {
      assert.ok(error instanceof OptionError && error instanceof RangeError);
      assert.equal(error.code, "bad-value");
      assert.equal(error.field, field);
      return true;
    });
});

test("a socket that cannot be made again ends it with a close, not with an error in a timer", () => {
  let made = 0;
  let socket;
  class Once {
    constructor() {
      if (made++ > 0) throw new DOMException("not allowed any more", "SecurityError");
      socket = this;
    }
    close() {}
  }
  const due = [];
  const timers = { setTimeout: (f) => due.push(f), clearTimeout: () => {}, now: () => 0 };
  const s = new ReconnectingSocket("ws://example.test/", undefined, { WebSocket: Once, timers });
  const closes = [];
  s.onclose = (e) => closes.push(e.reason);
  socket.onclose({ code: 1006, reason: "", wasClean: false });
  due.at(-1)();
  assert.deepEqual(closes, ["", "SecurityError: not allowed any more"]);
  assert.equal(s.readyState, 3);
});

test("a server's hint is capped, and one that is no number is none", () => {
  const waits = (hint, options) => {
    const due = [];
    const sockets = [];
    const WebSocket = class {
      constructor() {
        sockets.push(this);
      }
      close() {}
    };
    const timers = { setTimeout: (f, ms) => due.push(ms), clearTimeout: () => {}, now: () => 0 };
    const s = new ReconnectingSocket("ws://example.test/", undefined, { WebSocket, timers, random: () => 0.5, base: 1000, ...options, ...(typeof hint !== "string" && { hint: () => hint }) });
    let told;
    s.addEventListener("delay", (e) => (told = e));
    sockets[0].onclose({ code: 1013, reason: String(hint), wasClean: true });
    return [told.cause, due.at(-1)];
  };
  assert.deepEqual(waits("retry-after=12"), ["hint", 12_500]);
  assert.deepEqual(waits("retry-after=999999999"), ["hint", 3_600_500]);
  assert.deepEqual(waits("retry-after=120", { hintCap: 60_000 }), ["hint", 60_500]);
  for (const none of [NaN, -5, undefined]) assert.deepEqual(waits(none), ["refused", 500]);
  assert.throws(() => waits("x", { hintCap: -1 }), { code: "bad-value", field: "hintCap" });
});
