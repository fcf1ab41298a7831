import assert from "node:assert/strict";
import { test } from "node:test";

import { ReconnectingSocket } from "stormlint/reconnect";
import { Clock, KitError, lintClient, lintRuns, lintSchedule, lintTask, observe } from "stormlint/testkit";

/** A client that waits as a rule says; `n` is counted from 1 and starts again when a session opens. */
const looping = (rule, { timeout = 10_000, reset = "open" } = {}) => ({ WebSocket, clock, random }) => {
  let n = 0;
  const connect = () => {
    const socket = new WebSocket("ws://example.test/");
    const limit = timeout && clock.setTimeout(() => socket.close(), timeout);
    let opened;
    socket.onopen = () => {
      clock.clearTimeout(limit);
      opened = clock.now;
      if (reset === "open") n = 0;
    };
    socket.onclose = () => {
      clock.clearTimeout(limit);
      if (reset === "stable" && opened !== undefined && clock.now - opened > 5000) n = 0;
      const wait = rule(++n, random);
      if (wait !== undefined) clock.setTimeout(connect, wait);
    };
  };
  connect();
};
const full = (n, random) => random() * Math.min(30_000, 1000 * 2 ** Math.min(n - 1, 30));
const rules = (verdict, least = "medium") => {
  const order = ["info", "low", "medium", "high", "critical"];
  return [...new Set(verdict.findings.filter((f) => order.indexOf(f.severity) >= order.indexOf(least)).map((f) => f.rule))].sort();
};
const quick = { clients: 20, failures: 1100 };

test("a right client has no finding at medium or above, wrong ones are named", async () => {
  for (const [name, client, want] of [
    ["full jitter", looping(full, { reset: "stable" }), ["hint-ignored", "retry-fatal"]],
    ["fixed", looping(() => 1000, { reset: "stable" }), ["fixed-locked", "hint-ignored", "no-growth", "retry-fatal"]],
    ["doubling", looping((n) => Math.min(30_000, 1000 * 2 ** (n - 1)), { reset: "stable" }), ["growth-locked", "hint-ignored", "retry-fatal"]],
    ["hot loop", looping(() => 5, { reset: "stable" }), ["fixed-locked", "hint-ignored", "immediate-retry", "no-growth", "retry-fatal"]],
    ["resets on open", looping(full), ["early-reset", "hint-ignored", "retry-fatal"]],
    ["no timeout", looping(full, { reset: "stable", timeout: 0 }), ["bad-timeout", "hint-ignored", "retry-fatal"]],
    ["overflows", looping((n, random) => Math.min(30_000, 1000 * 2 ** (n - 1)) * (1 + 2 ** n) / (1 + 2 ** n) * (0.1 + random()), { reset: "stable" }), ["hint-ignored", "overflow", "retry-fatal"]],
  ]) {
    const verdict = await lintClient(client, quick);
    const found = rules(verdict).filter((r) => !(r === "zero-delay" && name === "hot loop"));
    assert.deepEqual(found, want, name);
  }
});

test("our own client passes in every scenario", async () => {
  const own = ({ WebSocket, clock, random }) =>
    new ReconnectingSocket("ws://h/", undefined, {
      WebSocket, random, timers: { setTimeout: clock.setTimeout, clearTimeout: clock.clearTimeout, now: () => clock.now } });
  assert.deepEqual(rules(await lintClient(own, quick), "low"), []);
  const windowed = ({ WebSocket, clock, random }) =>
    new ReconnectingSocket("ws://h/", undefined, {
      WebSocket, random, window: 25_000, timers: { setTimeout: clock.setTimeout, clearTimeout: clock.clearTimeout, now: () => clock.now } });
  assert.deepEqual(rules(await lintClient(windowed, quick), "low"), []);
});

test("one hundred repeats give one result", async () => {
  const first = JSON.stringify(await observe(looping(full), { clients: 5, failures: 20 }));
  for (let i = 0; i < 100; i++) assert.equal(JSON.stringify(await observe(looping(full), { clients: 5, failures: 20 })), first);
  assert.notEqual(JSON.stringify(await observe(looping(full), { clients: 5, failures: 20, seed: 2 })), first);
});

test("one hundred repeats of a small lintClient give one verdict", async () => {
  const small = { clients: 2, attempts: 5, failures: 5, scenarios: ["refused"] };
  const first = JSON.stringify(await lintClient(looping(full), small));
  for (let i = 0; i < 100; i++) assert.equal(JSON.stringify(await lintClient(looping(full), small)), first, `repeat ${i}`);
  assert.notEqual(JSON.stringify(await lintClient(looping(full), { ...small, seed: 2 })), first, "the seed matters");
});

test("globals: a client that takes nothing is watched, and every global is restored exactly", async () => {
  const before = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "Date", "WebSocket"].map((k) => Object.getOwnPropertyDescriptor(globalThis, k));
  const kept = globalThis.setTimeout;
  const client = () => {
    let n = 0;
    (function connect() {
      const socket = new globalThis.WebSocket("ws://h/");
      socket.addEventListener("close", () => setTimeout(connect, Math.random() * Math.min(30_000, 1000 * 2 ** n++)));
    })();
  };
  const [seen] = await observe(client, { global: true, scenarios: ["refused"], clients: 10 });
  assert.equal(seen.runs.length, 10);
  assert.ok(seen.runs.every((run) => run.length === 12));
  assert.ok(new Set(seen.runs.map((run) => run[0])).size > 5, "each client draws its own waits");
  assert.deepEqual(["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "Date", "WebSocket"].map((k) => Object.getOwnPropertyDescriptor(globalThis, k)), before);
  assert.equal(globalThis.setTimeout, kept);
  await assert.rejects(observe(() => { throw new Error("boom"); }, { global: true, clients: 2 }), { code: "crashed" });
  assert.equal(globalThis.setTimeout, kept, "also after a client threw");
});

test("a page wakes up: whoever obeys the event is seen to bypass the backoff", async () => {
  const obeys = () => {
    let timer;
    const connect = () => {
      clearTimeout(timer);
      const socket = new WebSocket("ws://h/");
      socket.onclose = () => (timer = setTimeout(connect, 5000 + Math.random() * 20_000));
    };
    addEventListener("online", connect);
    connect();
  };
  const verdict = await lintClient(obeys, { page: true, scenarios: ["refused", "wake"], clients: 20 });
  assert.ok(rules(verdict).includes("wake-bypass"), rules(verdict).join());
});

test("parallel loops are seen", async () => {
  const twice = (bench) => {
    looping(full)(bench);
    looping(full)(bench);
  };
  assert.ok(rules(await lintClient(twice, { ...quick, scenarios: ["dropped", "sessions"] })).includes("parallel-loops"));
});

test("never a pass for what was not observed", async () => {
  const once = ({ WebSocket }) => void new WebSocket("ws://h/");
  const opens = rules(await lintClient(once, { clients: 3, scenarios: ["refused"] }));
  const never = rules(await lintClient(() => {}, { clients: 3, scenarios: ["refused"] }));
  const stuck = rules(await lintClient(() => new Promise(() => {}), { clients: 2, scenarios: ["refused"] }));
  assert.deepEqual([never, stuck], [["not-observed"], ["not-observed"]]);
  assert.deepEqual(opens, ["not-observed"]);
});

test("a factory that never comes back is waited for once, not by every client", { timeout: 60_000 }, async () => {
  assert.ok(rules(await lintClient(() => new Promise(() => {}), { clients: 20 })).includes("not-observed"));
});

test("lintSchedule: a SPEC exactly, a function by its draws, far attempts for overflows", async () => {
  assert.deepEqual(rules(await lintSchedule("exp:1s:30s")), ["growth-locked"]);
  assert.deepEqual(rules(await lintSchedule("full:1s:30s")), []);
  assert.deepEqual(rules(await lintSchedule((k) => Math.min(30_000, 1000 * 2 ** k))), ["growth-locked"]);
  assert.deepEqual(rules(await lintSchedule((k) => Math.random() * Math.min(30_000, 1000 * 2 ** k))), []);
  const overflow = await lintSchedule((k) => Math.random() * Math.min(30_000, (1000 << k) | 0));
  assert.ok(rules(overflow, "info").includes("overflow"), "a shift beyond 31 bits");
  const nan = await lintSchedule((k) => (k > 1000 ? NaN : 1000 + Math.random() * 20_000));
  assert.ok(rules(nan, "info").includes("overflow"));
  assert.ok(rules(await lintSchedule((k) => (k > 6 ? false : 5000 * Math.random() * k)), "info").includes("gives-up"));
});

test("lintTask: a retry wrapper", async () => {
  const wrapper = (attempt) =>
    (async () => {
      for (let n = 0; ; n++) {
        try {
          return await attempt();
        } catch {
          await new Promise((done) => setTimeout(done, 1000 * 2 ** Math.min(n, 5)));
        }
      }
    })();
  assert.deepEqual(rules(await lintTask(wrapper, { clients: 10 })), ["growth-locked"]);
});

test("bad options name the option, the value and the range", async () => {
  for (const [options, text] of [
    [{ clients: 1 }, /clients is 1, expected a whole number from 2 to 1000/], [{ attempts: 4 }, /attempts is 4/], [{ seed: -1 }, /seed is -1/],
    [{ failures: 1.5 }, /failures is 1.5/], [{ runtime: "deno" }, /runtime is deno, expected node or browser/], [{ module: "isows" }, /module is isows, expected ws/],
    [{ scenarios: ["drop"] }, /scenarios has "drop", expected some of refused, /],
  ])
    await assert.rejects(observe(() => {}, options), (error) => {
      assert.ok(error instanceof KitError && error.code === "bad-value");
      assert.match(error.message, text);
      return true;
    });
  await assert.rejects(observe(() => {}, { client: 3 }), { code: "bad-usage", message: /unknown option: client, expected one of clients, attempts, / });
  await assert.rejects(lintClient(() => {}, { budget: 1000 }), /unknown option: budget/);
  await assert.rejects(lintSchedule("full:1s:30s", { capacity: 5 }), /unknown option: capacity, expected one of clients, attempts, seed, fleet/);
  for (const [bad, said] of [["5s", '"5s"'], [NaN, "NaN"], [{}, "[object Object]"]]) await assert.rejects(lintSchedule(() => bad), (e) => e instanceof KitError && e.message.includes(`the schedule gave ${said} for attempt 1, expected a wait in ms`));
  await assert.rejects(observe(undefined), /the client is undefined, expected a function/);
  await assert.rejects(lintRuns([["1s"]]), { code: "bad-value" });
});

test("active mock timers are refused with what to do", async () => {
  const real = globalThis.setTimeout;
  globalThis.setTimeout = Object.assign(() => {}, { clock: {} });
  try {
    await assert.rejects(observe(() => {}, { global: true, clients: 2 }), /useRealTimers\(\) first/);
  } finally {
    globalThis.setTimeout = real;
  }
});

test("the clock keeps the rules of real timers", () => {
  const waits = (runtime, ms) => {
    const clock = new Clock(runtime);
    clock.setTimeout(() => {}, ms);
    return clock.upcoming;
  };
  for (const [ms, node, browser] of [[0, 1, 0], [0.4, 1, 0], [1.9, 1, 1], [NaN, 1, 0], [undefined, 1, 0], [2 ** 31, 1, 0], [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1], [-5, 1, 0], [Infinity, 1, 0], [2 ** 32 + 7, 1, 7]])
    assert.deepEqual([waits("node", ms), waits("browser", ms)], [node, browser], String(ms));
  const clock = new Clock("node");
  const log = [];
  clock.setTimeout((x) => log.push(x), 10, "b");
  clock.setTimeout(() => log.push("a"), 5);
  const every = clock.setInterval(() => log.push(clock.now), 4);
  clock.clearTimeout(clock.setTimeout(() => log.push("never"), 1));
  for (let i = 0; i < 4; i++) clock.next();
  clock.clearInterval(every);
  assert.deepEqual(log, [4, "a", 8, "b"]);
  assert.equal(new clock.Date().getTime(), clock.Date.now());
  assert.equal(clock.Date.now() - Date.UTC(2026, 0, 1), 10);
});
