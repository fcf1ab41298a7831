// The page in Firefox, over WebDriver BiDi, without a driver's program: what is opened, pressed and seen, step by step.
//
//   node --experimental-websocket js/test/page/firefox.mjs     needs firefox or firefox-esr (FIREFOX names another)
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".ndjson": "application/x-ndjson" };
const server = createServer((q, a) => {
  const name = q.url === "/" ? "index.html" : q.url.slice(1);
  if (!/^[a-z]+\.[a-z]+$/.test(name)) return a.writeHead(404).end();
  a.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" }).end(readFileSync(join(top, "js/dist/page", name)));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const folder = mkdtempSync(join(tmpdir(), "stormlint-firefox-"));
mkdirSync(join(folder, "profile"));
const made = (name, bytes) => (writeFileSync(join(folder, name), bytes), join(folder, name));
const sample = readFileSync(join(top, "host/cmd/stormlint/sample.ndjson"));

const browser = spawn(process.env.FIREFOX ?? "firefox-esr", ["--headless", "--remote-debugging-port=0", "--profile", join(folder, "profile"), "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
const place = await new Promise((found, lost) => {
  let said = "";
  browser.stderr.on("data", (b) => {
    const at = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec((said += b));
    if (at) found(at[1]);
  });
  browser.on("error", lost);
  browser.on("exit", () => lost(new Error(said)));
});
const socket = new WebSocket(`${place}/session`);
await new Promise((open, lost) => Object.assign(socket, { onopen: open, onerror: lost }));

const due = new Map();
const wrong = [];
socket.onmessage = ({ data }) => {
  const m = JSON.parse(data);
  if (m.method === "log.entryAdded" && m.params.level === "error") wrong.push(m.params.text);
  const answer = due.get(m.id);
  if (m.type === "error") answer?.lost(new Error(`${m.error}: ${m.message}`));
  else answer?.given(m.result);
};
let last = 0;
const call = (method, params = {}) => new Promise((given, lost) => {
  due.set(++last, { given, lost });
  socket.send(JSON.stringify({ id: last, method, params }));
});
const { capabilities } = await call("session.new", { capabilities: {} });
console.log(`${capabilities.browserName} ${capabilities.browserVersion}`);
await call("session.subscribe", { events: ["log.entryAdded"] });
const { context } = (await call("browsingContext.getTree")).contexts[0];

async function ask(expression) {
  const r = await call("script.evaluate", { expression, target: { context }, awaitPromise: true });
  if (r.type === "exception") throw new Error(r.exceptionDetails.text);
  return r.result.value;
}
async function until(expression, ms = 60_000) {
  for (const end = Date.now() + ms; !(await ask(`!!(${expression})`)); await new Promise((go) => setTimeout(go, 100))) if (Date.now() > end) throw new Error(`never: ${expression}`);
}
const shows = (selector, pattern) => until(`${pattern}.test(document.querySelector(${JSON.stringify(selector)})?.innerText ?? "")`);
const click = (selector) => ask(`document.querySelector(${JSON.stringify(selector)}).click()`);
const put = (selector, value, kind = "input") => ask(`{ const e = document.querySelector(${JSON.stringify(selector)}); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event("${kind}", { bubbles: true })); }`);
const size = (width, height) => call("browsingContext.setViewport", { context, viewport: { width, height } });

async function give(path, pattern) {
  await ask(`document.querySelector(".bar button")?.click()`);
  await until(`document.querySelector(".drop")`);
  const { nodes } = await call("browsingContext.locateNodes", { context, locator: { type: "css", value: "input[type=file]" } });
  await call("input.setFiles", { context, element: { sharedId: nodes[0].sharedId }, files: [path] });
  await until(`document.querySelector(".report h1, .problem")`);
  await shows("main", pattern);
}

let failed = 0;
async function step(name, act) {
  const began = Date.now();
  try {
    await act();
    console.log(`ok      ${name}, ${Date.now() - began} ms`);
  } catch (e) {
    failed++;
    console.log(`not ok  ${name}: ${e.message}`);
  }
}

await size(1280, 900);
await step("opens", async () => {
  await call("browsingContext.navigate", { context, url: `http://127.0.0.1:${server.address().port}/`, wait: "complete" });
  await until(`document.querySelector("#try-sample")`);
});
await step("the sample", async () => {
  await click("#try-sample");
  await shows(".lead", /^Up to 64 clients came back together, in 4 waves/);
});
await step("a wave, and its table", async () => {
  await click(".goto button");
  await shows(".summary", /in the 100 ms from 10:00:0/);
  await click(".arrivals .as-table summary");
  await until(`document.querySelectorAll(".arrivals tbody tr").length > 10`);
});
await step("the filter, and a client", async () => {
  await put("#filter", "chat-app/2.9.4");
  await shows(".clients [role=status]", /16 of 64/);
  await click(".rows tbody tr");
  await until(`document.querySelector("dialog .ladder")`);
  await click("dialog button");
});
await step("the lines of a finding", async () => {
  await ask(`document.querySelector(".finding details").open = true`);
  await ask(`[...document.querySelectorAll(".finding button")].find((b) => /of its lines/.test(b.textContent)).click()`);
  await until(`document.querySelectorAll(".lines .samples li").length === 5`);
});
await step("JSON to take away", async () => {
  await ask(`{ globalThis.made = 0; const make = URL.createObjectURL; URL.createObjectURL = (b) => { made = b.size; return make.call(URL, b); }; }`);
  await click("[data-form=json]");
  await until("made > 1000");
});
await step("Japanese and back", async () => {
  await put("header select", "ja", "change");
  await shows(".lead", /最大 64 台/);
  await put("header select", "en", "change");
});
await step("a log", () => give(join(top, "testdata/storms/deploy-doubling.log"), /Up to 160 clients/));
await step("zstd", () => give(join(top, "js/test/sample.ndjson.zst"), /Up to 64 clients/));
await step("gzip", () => give(made("a.ndjson.gz", gzipSync(sample)), /Up to 64 clients/));
await step("a cut gzip", () => give(made("cut.ndjson.gz", gzipSync(sample).subarray(0, 5000)), /cut off|damaged/));
await step("an empty file", () => give(made("empty.log", ""), /empty/));
await step("77 MB, by its workers", () => give(made("large.ndjson", Buffer.concat(Array(300).fill(sample))), /386,700 attempts/));
await step("the workbench", async () => {
  await click("#tab-bench");
  await until(`document.querySelector(".result") && document.querySelector(".snippets")`);
  await put(".ask input.mono", "window:80s");
  await until(`document.querySelector(".stamp.good, .stamp.fair")`);
});
await step("nothing is wider than 360 px", async () => {
  await size(360, 800);
  await until(`document.documentElement.scrollWidth <= innerWidth`, 5000);
});
await step("no error on the console", () => {
  if (wrong.length > 0) throw new Error(wrong.join("; "));
});

await call("browser.close").catch(() => {});
browser.kill();
server.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(failed > 0 ? 1 : 0);
