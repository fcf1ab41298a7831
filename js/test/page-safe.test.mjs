// Bad input gets a sentence, and the page still works; hostile content stays letters.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { file, give, lead, settled, stage, top } from "./page/stage.mjs";

let s;
let folder;
before(async () => {
  s = await stage();
  folder = mkdtempSync(join(tmpdir(), "stormlint-page-"));
});
after(async () => {
  await s?.end();
  rmSync(folder, { recursive: true, force: true });
});
const sample = readFileSync(join(top, "host/cmd/stormlint/sample.ndjson"));

// The page still works: the sample can be read after whatever happened.
async function stillWorks(page) {
  const another = page.locator("text=Another log");
  if (await another.count()) await another.click();
  await page.click("#try-sample");
  await page.waitForSelector(".report h1", { timeout: 30_000 });
  assert.match(await lead(page), /^Up to 64 clients/);
}

const bytes = (...b) => Buffer.from(b);
const cases = [
  ["an image", { name: "shot.png", mimeType: "image/png", buffer: Buffer.concat([bytes(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10), Buffer.alloc(100)]) }, /shot\.png is an image, not a log/, /Drop the log itself/],
  ["an empty file", file("empty.log", ""), /nothing in empty\.log/, /lines in it/],
  ["blank lines alone", file("blank.log", "\n\n  \r\n"), /nothing in blank\.log/, /lines in it/],
  ["an empty gzip", { name: "e.gz", mimeType: "", buffer: gzipSync("") }, /nothing in e\.gz/, /lines in it/],
  ["a ZIP archive", { name: "logs.zip", mimeType: "", buffer: bytes(0x50, 0x4b, 3, 4, 20, 0) }, /a ZIP archive/, /Unpack it/],
  ["UTF-16", { name: "w.log", mimeType: "", buffer: Buffer.concat([bytes(0xff, 0xfe), Buffer.from("GET /ws", "utf16le")]) }, /UTF-16/, /iconv/],
  ["a program", { name: "a.out", mimeType: "", buffer: Buffer.concat([bytes(0x7f, 0x45, 0x4c, 0x46), Buffer.alloc(64)]) }, /a program/, /the log that it writes/],
  ["binary data", { name: "x.bin", mimeType: "", buffer: Buffer.alloc(5000, 3).fill(0, 100, 3000) }, /binary data/, /lines of text/],
  ["gzip that is none", { name: "bad.gz", mimeType: "", buffer: Buffer.concat([bytes(0x1f, 0x8b, 8, 0), Buffer.from("this is no deflate stream at all")]) }, /bad\.gz is damaged or cut off, from the start/, /gzip -dc/],
  ["an unknown form", file("own.log", "alpha beta gamma\ndelta epsilon\nzeta eta theta\n"), /The form of own\.log is not known/, /first lines[^]*\*\*\* \*\*\* \*\*\*[^]*choose the format/],
  ["nothing about WebSockets", file("web.log", '192.0.2.1 - - [30/Nov/2026:10:00:00 +0000] "GET /a.css HTTP/1.1" 200 12 "-" "curl"\n'.repeat(40)), /None of the 40 records are about a WebSocket/, /which paths/],
];
for (const [what, input, title, todo] of cases) {
  test(`${what}: a sentence, and the page still works`, async () => {
    const v = await s.open();
    await give(v.page, [input]);
    const card = v.page.locator(".problem");
    assert.match(await card.locator("h1, h2").innerText(), title);
    assert.match(await card.innerText(), todo);
    await stillWorks(v.page);
    await v.leave();
  });
}

test("a folder: a sentence", async () => {
  const v = await s.open();
  await v.page.evaluate(() => {
    const e = new DragEvent("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(e, "dataTransfer", { value: { types: ["Files"], files: [], items: [{ webkitGetAsEntry: () => ({ isDirectory: true, name: "logs" }) }] } });
    document.body.dispatchEvent(e);
  });
  assert.match(await v.page.locator(".problem").innerText(), /“logs” is a folder[^]*open the folder/);
  await stillWorks(v.page);
  await v.leave();
});

test("gzip that was cut: what came before is analysed, and it is said", async () => {
  const v = await s.open();
  const whole = gzipSync(sample);
  await give(v.page, [{ name: "cut.ndjson.gz", mimeType: "", buffer: whole.subarray(0, Math.floor(whole.length * 0.8)) }]);
  assert.match(await v.page.locator(".story .note").innerText(), /cut\.ndjson\.gz: the compressed data is damaged or cut off\. What came before is analysed\./);
  await v.leave();
});

// The worker's reading of a file stops at its n-th read until the test lets it go on: nothing is left to chance.
const gated = (nth) => async (page) => {
  const script = readFileSync(join(top, "js/dist/page/worker.js"), "utf8");
  await page.route("**/worker.js", (r) => r.fulfill({ contentType: "text/javascript", body: `{
    const read = Blob.prototype.arrayBuffer, gate = new BroadcastChannel("gate");
    let n = 0, open, opened = new Promise((go) => (open = go));
    gate.onmessage = (e) => e.data === "go" && open();
    Blob.prototype.arrayBuffer = async function () {
      if (++n >= ${nth}) {
        gate.postMessage("waiting");
        await opened;
      }
      return read.call(this);
    };
  }${script}` }));
  await page.addInitScript(() => {
    globalThis.gate = new BroadcastChannel("gate");
    globalThis.waiting = new Promise((yes) => (globalThis.gate.onmessage = (e) => e.data === "waiting" && yes()));
  });
};
const growing = [
  ["before its first bytes are read", "growing.ndjson", sample, 1],
  ["while its parts are read", "growing.ndjson", Buffer.concat(Array(90).fill(sample)), 5],
  ["while it is opened", "growing.ndjson.gz", gzipSync(Buffer.concat(Array(100).fill(sample)), { level: 0 }), 7],
];
for (const [when, name, content, nth] of growing) {
  test(`a file that another program writes to, ${when}: a sentence`, async () => {
    const v = await s.open({ before: gated(nth) });
    const path = join(folder, name);
    writeFileSync(path, content);
    await v.page.setInputFiles("input[type=file]", path);
    await v.page.evaluate(() => globalThis.waiting);
    appendFileSync(path, "{}\n");
    await v.page.evaluate(() => globalThis.gate.postMessage("go"));
    await settled(v.page);
    assert.match(await v.page.locator("main").innerText(), new RegExp(`${name.replaceAll(".", "\\.")} changed while it was read[^]*make a copy`));
    await v.leave();
  });
}

test("a line of 50 MB is skipped by name, and the rest is read", async () => {
  const v = await s.open();
  const long = Buffer.from('{"timestamp":"2026-11-30T10:00:00Z","client_ip":"192.0.2.1","event_type":"connect","path":"' + "a".repeat(50 << 20) + '"}\n');
  const path = join(folder, "long.ndjson");
  writeFileSync(path, Buffer.concat([sample, long, sample]));
  await give(v.page, [path]);
  assert.match(await v.page.locator("#nav-about").innerText(), /line longer than the limit/);
  await v.leave();
});

test("a line of 50 MB alone: a sentence about its length, and the page still works", async () => {
  const v = await s.open();
  const path = join(folder, "alone.ndjson");
  writeFileSync(path, '{"timestamp":"2026-11-30T10:00:00Z","client_ip":"192.0.2.1","path":"' + "a".repeat(50 << 20) + '"}');
  await give(v.page, [path]);
  assert.match(await v.page.locator(".problem").innerText(), /Every line of alone\.ndjson is longer than 16 MiB\.[^]*one record a line/);
  await stillWorks(v.page);
  await v.leave();
});

test("a setting that cannot be used is named", async () => {
  const v = await s.open({ hash: "#since=yesterday" });
  await v.page.click("#try-sample");
  await settled(v.page);
  assert.match(await v.page.locator(".problem").innerText(), /A setting cannot be used as it is\. From[^]*yesterday/);
  await v.page.fill("input[name=since]", "");
  await v.page.click("text=Use these settings");
  await v.page.waitForSelector(".report h1");
  await v.leave();
});

const broken = [
  ["the module is not served", (p) => p.route("**/stormlint.wasm", (r) => r.fulfill({ status: 404 })), /A part of this page is missing: \/stormlint\.wasm/],
  ["the module is something else", (p) => p.route("**/stormlint.wasm", (r) => r.fulfill({ contentType: "text/html", body: "<!doctype html>" })), /served as something else/],
  ["the worker is not served", (p) => p.route("**/worker.js", (r) => r.fulfill({ status: 500 })), /A part of this page is missing: \/worker\.js/],
];
for (const [what, route, title] of broken) {
  test(`${what}: a sentence in both views`, async () => {
    const v = await s.open({ before: route, expectErrors: true, missing: true });
    await v.page.click("#try-sample");
    await v.page.waitForSelector(".problem");
    assert.match(await v.page.locator(".problem").innerText(), title);
    await v.page.click("#tab-bench");
    await v.page.waitForSelector(".verdict .problem");
    assert.match(await v.page.locator(".verdict").innerText(), title);
    await v.leave();
  });
}

test("what could not be loaded is loaded by the next who needs it, and no worker is left behind", async () => {
  const count = (p) => p.addInitScript(() => {
    const Real = Worker;
    globalThis.alive = 0;
    globalThis.Worker = class extends Real {
      constructor(...a) {
        super(...a);
        globalThis.alive++;
      }
      terminate() {
        globalThis.alive--;
        super.terminate();
      }
    };
  });
  const empty = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const faults = [
    ["**/stormlint.wasm", { contentType: "application/wasm", body: empty }, /of different versions/],
    ["**/stormlint.wasm", { status: 404 }, /A part of this page is missing/],
    ["**/worker.js", { status: 500 }, /A part of this page is missing/],
    ["**/worker.js", { contentType: "text/html", body: "<!doctype html>" }, /A part of this page is missing: worker\.js/],
    ["**/sample.ndjson", { status: 404 }, /A part of this page is missing: \/sample\.ndjson/],
  ];
  for (const [what, answer, title] of faults) {
    const v = await s.open({ expectErrors: true, missing: true, before: async (p) => {
      await count(p);
      await p.route(what, (r) => r.fulfill(answer));
    } });
    await v.page.click("#try-sample");
    await v.page.waitForSelector(".problem");
    assert.match(await v.page.locator(".problem").innerText(), title);
    if (!what.includes("sample")) assert.equal(await v.page.evaluate(() => globalThis.alive), 0, `${what}: workers`);
    await v.page.unroute(what);
    await stillWorks(v.page);
    await v.page.click("#tab-bench");
    await v.page.waitForSelector(".verdict .stamp");
    await v.leave();
  }
});

test("a module with another type is compiled all the same", async () => {
  const wasm = readFileSync(join(top, "js/dist/page/stormlint.wasm"));
  const v = await s.open({ before: (p) => p.route("**/stormlint.wasm", (r) => r.fulfill({ contentType: "application/octet-stream", body: wasm })) });
  await stillWorks(v.page);
  await v.leave();
});

test("out of memory in a worker: a sentence, and the next log is read", async () => {
  const v = await s.open({ expectErrors: true, before: (p) => p.addInitScript(() => {
    const Real = Worker;
    globalThis.short = true;
    globalThis.Worker = class extends Real {
      postMessage(m, ...rest) {
        const running = JSON.stringify(m, (k, x) => (typeof x === "object" && x !== null && x.constructor !== Object && !Array.isArray(x) ? undefined : x));
        if (globalThis.short && /"analyze"/.test(running)) return setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { message: "Uncaught RangeError: Array buffer allocation failed", cancelable: true })), 10);
        return super.postMessage(m, ...rest);
      }
    };
  }) });
  await v.page.click("#try-sample");
  await v.page.waitForSelector(".problem");
  assert.match(await v.page.locator(".problem").innerText(), /not enough memory in this tab[^]*shorter time/);
  await v.page.evaluate(() => (globalThis.short = false));
  await stillWorks(v.page);
  await v.leave();
});

test("opened as a file: the sentence is in the static page", () => {
  const html = readFileSync(join(top, "js/dist/page/index.html"), "utf8");
  assert.match(html, /run <code>stormlint page<\/code>/);
  assert.match(html, /lang="ja"/);
});

test("hostile content stays letters: markup, colours of a terminal, bidirectional controls, huge fields", async () => {
  const v = await s.open();
  const agents = [
    "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u001b[31mred\u001b[0m", "gnp.exe\u202Egpj.txt", "a\u2066b\u2069c", '"><svg onload=alert(3)>', "x".repeat(50_000), "javascript:alert(4)", "{clients}", "constructor",
  ];
  const lines = [];
  for (let i = 0; i < 400; i++) {
    const at = new Date(Date.UTC(2026, 10, 30, 10, 0, Math.floor(i / 10))).toISOString();
    lines.push(JSON.stringify({ timestamp: at, client_ip: i % 10 === 3 ? agents[i % 7] : `192.0.2.${i % 10}`, event_type: i % 3 ? "retry" : "connect", user_agent: agents[i % 10], path: agents[i % 6] }));
  }
  lines.push("<b onmouseover=alert(5)>not json</b>");
  let dialogs = 0;
  v.page.on("dialog", (d) => {
    dialogs++;
    void d.dismiss();
  });
  await give(v.page, [{ name: "<img src=x onerror=alert(6)>.log", mimeType: "", buffer: Buffer.from(lines.join("\n") + "\n") }]);
  await v.page.waitForSelector(".report h1");
  for (const summary of await v.page.locator(".report details > summary").all()) await summary.click();
  await v.page.click(".rows tbody tr >> nth=0");
  await v.page.waitForSelector("dialog[open]");
  const found = await v.page.evaluate(() => ({
    elements: document.querySelectorAll("main img, main script, main b, [onerror], [onload], [onmouseover], dialog img, a[href^=javascript]").length,
    controls: /[\u202e\u2066\u2069\u001b]/.test(document.body.innerText),
    shown: /⟨U\+202E⟩/.test(document.body.innerText) && /<img src=x onerror=alert/.test(document.body.innerText),
    wide: document.documentElement.scrollWidth <= innerWidth,
  }));
  assert.deepEqual({ ...found, dialogs }, { elements: 0, controls: false, shown: true, wide: true, dialogs: 0 });
  await v.page.keyboard.press("Escape");
  await v.leave();
});
