// The ways through the page, with real files: what a person does, and what comes of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { cli, download, file, give, lead, openFinding, settled, stage, testdata } from "./page/stage.mjs";

let s;
before(async () => (s = await stage()));
after(() => s?.end());
const storms = (name) => join(testdata, "storms", name);
const sample = readFileSync(new URL("../../host/cmd/stormlint/sample.ndjson", import.meta.url));

test("the first walk: from opening to the right sentence about the sample", async () => {
  const began = Date.now();
  const v = await s.open();
  await v.page.click("#try-sample");
  await settled(v.page);
  assert.equal(await lead(v.page), "Up to 64 clients came back together, in 4 waves; the tallest at 10:00:00 UTC with 111 attempts a second, most of it within 7.12 s.");
  assert.ok(Date.now() - began < 60_000);
  assert.match(await v.page.locator(".story").innerText(), /chat-app\/3\.1\.0 \(24 clients, 30 % of the attempts\)/);
  await v.leave();
});

test("several files, one of them gzip, are one report; the order of names is that of people", async () => {
  const v = await s.open();
  const lines = sample.toString().trimEnd().split("\n");
  const part = (from, to) => lines.slice(from, to).join("\n") + "\n";
  await give(v.page, [
    { name: "a.log.10.gz", mimeType: "application/gzip", buffer: gzipSync(part(900)) }, file("a.log", part(0, 400)), file("a.log.2", part(400, 900)),
  ]);
  assert.match(await lead(v.page), /^Up to 64 clients came back together, in 4 waves/);
  assert.deepEqual(await v.page.locator(".bar .file").allInnerTexts(), ["a.log", "a.log.2", "a.log.10.gz"]);
  assert.match(await v.page.locator("#nav-about").innerText(), /1,417 records/);
  await v.leave();
});

test("zstd is opened", async () => {
  const v = await s.open();
  await give(v.page, [join(testdata, "../js/test/sample.ndjson.zst")]);
  assert.match(await lead(v.page), /^Up to 64 clients came back together/);
  await v.leave();
});

test("pasted text is read; nothing pasted is told", async () => {
  const v = await s.open();
  await v.page.click("text=Paste text");
  await v.page.click("text=Analyse");
  assert.match(await v.page.locator(".paste [role=alert]").innerText(), /Paste some lines/);
  await v.page.fill("#paste", readFileSync(storms("idle-timeout.log"), "utf8"));
  await v.page.click("text=Analyse");
  await settled(v.page);
  assert.match(await v.page.locator("#nav-findings").innerText(), /sessions end after the same time/);
  await v.leave();
});

test("a drop anywhere is taken", async () => {
  const v = await s.open();
  const text = readFileSync(storms("deploy-doubling.log"), "utf8");
  await v.page.evaluate((text) => {
    const d = new DataTransfer();
    d.items.add(new File([text], "deploy.log"));
    for (const kind of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: d, bubbles: true, cancelable: true }));
  }, text);
  await settled(v.page);
  assert.match(await lead(v.page), /^Up to 160 clients came back together, in 5 waves/);
  await v.leave();
});

test("how it is read is shown and can be corrected: zone, capacity, marks; the link keeps it, and no data", async () => {
  const v = await s.open();
  await give(v.page, [storms("overload.log")]);
  await v.page.click("text=Change how it is read");
  assert.match(await v.page.locator("#reading-panel .chip").innerText(), /nginx access log/);
  assert.match(await v.page.locator(".looks").innerText(), /attempt/);
  await v.page.fill("input[name=capacity]", "12");
  await v.page.fill("input[name=path]", "/live, /ws*");
  await v.page.fill("textarea[name=mark]", "2026-11-30T22:15:00Z=deploy 1.4");
  const widths = await v.page.locator(".settings :is(input[type=text], select, textarea)").evaluateAll((list) => list.map((e) => e.offsetWidth));
  assert.ok(widths.length > 12 && Math.max(...widths) - Math.min(...widths) < 4, `fields are as wide as each other: ${widths}`);
  await v.page.fill("input[name=tz]", "Nowhere/Else");
  await v.page.waitForSelector("#reading-panel .wrong:not(:empty)");
  assert.match(await v.page.locator("#reading-panel .wrong").innerText(), /Nowhere\/Else/);
  await v.page.fill("input[name=tz]", "Europe/Berlin");
  await v.page.waitForSelector("#reading-panel .wrong:empty", { state: "attached" });
  await v.page.click("#reading-panel >> text=Copy a link");
  const link = await v.page.evaluate(() => navigator.clipboard.readText());
  await v.page.click("text=Use these settings");
  await v.page.waitForSelector(".progress, .report h1");
  await settled(v.page);
  assert.match(await v.page.locator(".facts").first().innerText(), /deploy 1\.4/);
  await v.leave();
  const q = new URLSearchParams(new URL(link).hash.slice(1));
  assert.deepEqual([q.get("capacity"), q.get("tz"), q.get("path"), q.get("mark")], ["12", "Europe/Berlin", "/live, /ws*", "2026-11-30T22:15:00Z=deploy 1.4"]);
  assert.ok(!/203\.0\.113|overload/.test(link), "the link has something of the log");
  const again = await s.open({ hash: new URL(link).hash });
  await give(again.page, [storms("overload.log")]);
  await again.page.click("text=Change how it is read");
  assert.equal(await again.page.inputValue("input[name=capacity]"), "12");
  await again.leave();
});

test("a capacity, marks and what else only judges are answered from what was read; the report is that of a new reading", async () => {
  const v = await s.open({ before: (p) => p.addInitScript(() => {
    globalThis.runs = 0;
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (m, ...rest) {
      if (m.name === "run") globalThis.runs++;
      return postMessage.call(this, m, ...rest);
    };
  }) });
  await give(v.page, [storms("overload.log")]);
  assert.equal(await v.page.evaluate(() => globalThis.runs), 1);
  await v.page.click("text=Change how it is read");
  await v.page.fill("input[name=capacity]", "plenty");
  await v.page.click("text=Use these settings");
  await v.page.waitForSelector("#reading-panel .wrong:not(:empty)");
  assert.match(await v.page.locator("#reading-panel .wrong").innerText(), /plenty/);
  assert.equal(await v.page.locator(".report h1").count(), 1, "the report stays");
  for (const [capacity, mark] of [["12", "2026-11-30T22:15:00Z=deploy 1.4"], ["3", ""]]) {
    await v.page.fill("input[name=capacity]", capacity);
    await v.page.fill("textarea[name=mark]", mark);
    await v.page.evaluate(() => document.querySelector(".report h1").setAttribute("data-old", ""));
    await v.page.click("text=Use these settings");
    await v.page.waitForSelector(".report h1:not([data-old])");
    const want = execFileSync(cli, ["analyze", "-o", "json", "--capacity", capacity, ...(mark ? ["--mark", mark] : []), "overload.log"], { cwd: storms("") });
    const { bytes } = await download(v.page, "json");
    assert.equal(bytes.toString().trimEnd(), want.toString().trimEnd());
    await v.page.click("text=Change how it is read");
  }
  assert.equal(await v.page.evaluate(() => globalThis.runs), 1, "the file was read once");
  await v.page.fill("input[name=since]", "2026-11-30T22:15:00Z");
  await v.page.click("text=Use these settings");
  await v.page.waitForSelector(".progress, .report h1");
  await settled(v.page);
  assert.equal(await v.page.evaluate(() => globalThis.runs), 2, "another range is another reading");
  await v.leave();
});

test("downloads are the module's: JSON as the command line prints it, Markdown, HTML that runs nothing, compat", async () => {
  const v = await s.open();
  await v.page.click("#try-sample");
  await settled(v.page);
  const json = await download(v.page, "json");
  assert.equal(json.name, "sample.ndjson.report.json");
  assert.ok(Buffer.concat([json.bytes, Buffer.from("\n")]).equals(execFileSync(cli, ["analyze", "--sample", "-o", "json"])));
  assert.match((await download(v.page, "markdown")).bytes.toString(), /^## WebSocket reconnects: sample\.ndjson/);
  const html = (await download(v.page, "html")).bytes.toString();
  assert.match(html, /client-001/);
  assert.ok(!/<script|192\.0\.2\.72/.test(html));
  await v.page.check("#addresses");
  assert.match((await download(v.page, "html")).bytes.toString(), /192\.0\.2\.72/);
  await next(v.page, [storms("overload.log")]);
  await v.page.click("[data-form=compat]");
  await v.page.waitForFunction(() => /prototype/.test(document.querySelector(".downloads [role=status]").textContent));
  await next(v.page, [join(testdata, "compat/sample.json")]);
  const compat = JSON.parse((await download(v.page, "compat")).bytes);
  const wanted = JSON.parse(readFileSync(join(testdata, "compat/sample.threshold5.expected.json")));
  assert.deepEqual(compat.analyzed_clients, wanted.analyzed_clients);
  await v.leave();
});

async function next(page, files) {
  await page.click("text=Another log");
  await page.waitForSelector(".drop");
  await give(page, files);
}

test("arrivals zoom to 100 ms, the sentence and the table follow; a client opens with its ladder, and its schedule in the workbench", async () => {
  const v = await s.open();
  await v.page.click("#try-sample");
  await settled(v.page);
  await v.page.click(".goto button >> nth=0");
  await v.page.waitForFunction(() => /in the 100 ms from 10:00:0/.test(document.querySelector(".summary").textContent));
  await v.page.click(".arrivals .as-table summary");
  await v.page.waitForFunction(() => document.querySelectorAll(".arrivals tbody tr").length > 10);
  await v.page.click("text=Whole log");
  await v.page.waitForFunction(() => /1,289 attempts/.test(document.querySelector(".summary").textContent));
  await v.page.fill("#filter", "chat-app/2.9.4");
  await v.page.waitForFunction(() => /16 of 64/.test(document.querySelector(".clients [role=status]").textContent));
  await v.page.click(".rows tbody tr >> nth=0");
  await v.page.waitForSelector("dialog .ladder");
  assert.match(await v.page.locator("dialog").innerText(), /growth-locked|come back together/);
  await v.page.click("dialog >> text=Open this schedule in the workbench >> nth=0");
  await v.page.waitForSelector(".bench .verdicts");
  assert.match(await v.page.inputValue(".ask input.mono"), /^exp:|^table:/);
  await v.leave();
});

test("a line dated 1970 does not make everything else one bar; all waves can be gone to", async () => {
  const v = await s.open();
  const began = Date.parse("2026-11-30T10:00:00Z");
  const line = (at, i, kind) => JSON.stringify({ timestamp: new Date(at).toISOString(), client_ip: `192.0.2.${i}`, event_type: kind });
  const lines = [line(3000, 200, "connect")];
  for (let wave = 0; wave < 8; wave++) for (const [after, kind] of [[0, "connect"], [60_000, "disconnect"]]) for (let i = 0; i < 30; i++) lines.push(line(began + wave * 120_000 + after, i, kind));
  await give(v.page, [file("old.ndjson", lines.join("\n"))]);
  const summary = () => v.page.locator(".summary").innerText();
  await v.page.waitForFunction(() => /^(09:59|10:00):/.test(document.querySelector(".summary").textContent));
  assert.match(await summary(), /240 attempts/);
  assert.match(await v.page.locator(".arrivals").innerText(), /1 event far from all others is left out of the first view; the whole log is 1970-01-01 00:00:03 – 2026-11-30 10:15:00 UTC/);
  await v.page.click("text=Whole log");
  await v.page.waitForFunction(() => /^1970-01-01 .*241 attempts/.test(document.querySelector(".summary").textContent));
  assert.equal(await v.page.locator(".goto .chip").count(), 7);
  await v.page.click(".goto .chip >> text=all 8");
  assert.equal(await v.page.locator(".goto .chip").count(), 8);
  await v.leave();
});

test("a rolling restart: the story says how long it went on, the facts when each node dropped its clients", async () => {
  const v = await s.open();
  const began = Date.parse("2026-11-30T10:00:00Z");
  const events = [];
  for (let node = 0; node < 5; node++) for (let i = 0; i < 30; i++) {
    const client = node * 30 + i;
    const end = began + node * 60_000 + i * 3;
    for (const [at, kind] of [[began - 900_000 + client * 500, "connect"], [end, "disconnect"], [end + 1000 + i * 10, "connect"]]) events.push([at, `10.0.0.${client}`, kind]);
  }
  events.sort((a, b) => a[0] - b[0]);
  const lines = events.map(([at, client_ip, event_type]) => JSON.stringify({ timestamp: new Date(at).toISOString(), client_ip, event_type }));
  await give(v.page, [file("rolling.ndjson", lines.join("\n"))]);
  const story = await v.page.locator(".story").innerText();
  assert.match(story, /This happened 5 times from 10:00:00 to 10:04:00 UTC\./);
  assert.match(story, /30 sessions of 30 clients at 10:00:00 UTC; also at 10:01:00, 10:02:00, 10:03:00, 10:04:00 UTC/);
  await v.leave();
});

test("a finding shows the lines it rests on, masked", async () => {
  const v = await s.open();
  await v.page.click("#try-sample");
  await settled(v.page);
  await openFinding(v.page);
  await v.page.click("text=Show 5 of its lines");
  await v.page.waitForSelector(".lines .samples li");
  assert.match(await v.page.locator(".lines .samples").first().innerText(), /sample\.ndjson:129/);
  assert.match(await v.page.locator(".lines .samples").first().innerText(), /192\.0\.2\.72/);
  await v.leave();
});

test("records are found by their numbers: with blank lines between, in arrays, in gzip", async () => {
  const lines = sample.toString().trimEnd().split("\n");
  const list = [
    [file("sample.ndjson", lines.join("\n\n")), /sample\.ndjson:129 *line 257, byte/],
    [file("sample.json", `[${lines.join(",")}]`), /sample\.json:129 *line 1, byte/],
    [file("sample.json", JSON.stringify(lines.map((l) => JSON.parse(l)), null, 2)), /sample\.json:129 *line/],
    [{ name: "sample.json.gz", mimeType: "", buffer: gzipSync(`[${lines.join(",\n")}]`) }, /sample\.json\.gz:129 *line 129, byte/],
  ];
  const client = JSON.parse(lines[128]).client_ip;
  for (const [input, place] of list) {
    const v = await s.open();
    await give(v.page, [input]);
    await openFinding(v.page);
    await v.page.click("text=Show 5 of its lines");
    await v.page.waitForSelector(".lines .samples li");
    const shown = await v.page.locator(".lines .samples li").allInnerTexts();
    assert.equal(shown.length, 5);
    const one = shown.find((t) => /:129\b/.test(t));
    assert.match(one, place);
    assert.ok(one.includes(client), one);
    await v.leave();
  }
});

test("the workbench: a policy, a library, delays, a mistake; others beside it; a snippet to copy; a link", async () => {
  const v = await s.open({ hash: "#workbench=&policy=fixed%3A1s&clients=2000&rate=50" });
  const p = v.page;
  await p.waitForSelector(".stamp.bad");
  await p.waitForSelector(".result >> nth=1");
  assert.match(await p.locator(".verdicts").innerText(), /no jitter \(fixed-locked\)/);
  await p.waitForSelector(".snippets");
  assert.doesNotMatch((await p.locator("dt, dd, th").allInnerTexts()).join("\n"), /\{\w+\}/, "every blank of a text is filled");
  await p.fill(".ask input.mono", "full:1s:");
  await p.waitForSelector(".verdict .problem");
  await p.fill(".ask input.mono", "window:80s");
  await p.waitForSelector(".stamp.good, .stamp.fair");
  await p.check("input[value=library]");
  await p.selectOption(".way select", "lib:socket.io-client");
  await p.waitForFunction(() => /jitter lost at the cap/.test(document.querySelector(".verdicts")?.textContent ?? ""));
  await p.check("input[value=delays]");
  await p.fill(".way textarea", "1000,2000,4000,8000,16000,30000\n".repeat(6));
  await p.waitForFunction(() => /no jitter \(growth-locked\)/.test(document.querySelector(".verdicts")?.textContent ?? ""));
  await p.waitForSelector(".snippets");
  assert.equal(await p.locator(".recommend .policy").innerText(), "window:80s");
  await p.fill(".dial input[type=number] >> nth=0", "4000");
  await p.waitForFunction(() => document.querySelector(".recommend .policy")?.textContent === "window:160s");
  await p.click("[role=tab] >> text=go");
  await p.click("text=Copy the code");
  assert.match(await p.evaluate(() => navigator.clipboard.readText()), /window, timeout = 160000/);
  await p.click("text=Add a policy");
  await p.waitForFunction(() => document.querySelectorAll(".result").length === 2);
  await v.leave();
});

test("a reading can be ended, and the page goes on", async () => {
  const v = await s.open();
  const folder = mkdtempSync(join(tmpdir(), "stormlint-page-"));
  writeFileSync(join(folder, "long.ndjson"), Buffer.concat(Array(400).fill(sample)));
  await v.page.setInputFiles("input[type=file]", join(folder, "long.ndjson"));
  await v.page.click("text=Cancel");
  await v.page.waitForSelector(".drop");
  await v.page.click("#try-sample");
  await settled(v.page);
  assert.match(await lead(v.page), /^Up to 64 clients/);
  await v.leave();
  rmSync(folder, { recursive: true });
});
