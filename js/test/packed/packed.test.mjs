// The package as a user gets it: packed, installed in an empty folder, and asked in every environment for the same answer.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const js = resolve(here, "../..");
const tools = join(here, "node_modules"); // webpack, deno, bun
const sdks = join(js, "bench/sdks/node_modules"); // the real libraries of the examples
const want = "0.1.0: 1289 attempts, growth-locked unbounded-attempts, window:4s, 21.";
const csp = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
let folder, project, server, browser, base, answer;

/** Runs a program to its end; what it wrote, or the error with both streams. */
function run(program, args, options = {}) {
  return new Promise((good, bad) => {
    const child = spawn(program, args, { cwd: project, stdio: ["ignore", "pipe", "pipe"], ...options, env: { ...process.env, NODE_TEST_CONTEXT: undefined, CI: "1", NO_COLOR: "1", ...options.env } });
    let out = "";
    let errors = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (errors += d));
    child.on("error", bad);
    child.on("close", (code) => (code === (options.code ?? 0) ? good(out + (options.both ? errors : "")) : bad(new Error(`${program} ${args.join(" ")} exits ${code}\n${out}${errors}`))));
  });
}

const node = (...args) => run(process.execPath, args);

/** Makes packages of this checkout known to the project, as if they had been installed beside the packed one. */
function link(from, ...names) {
  for (const name of names) {
    const place = join(project, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(join(from, name), place);
  }
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stormlint-packed-"));
  project = join(folder, "project");
  cpSync(join(here, "project"), project, { recursive: true });
  cpSync(join(js, "examples"), join(project, "examples"), { recursive: true });
  cpSync(join(js, "../host/cmd/stormlint/sample.ndjson"), join(project, "sample.ndjson"));
  writeFileSync(join(project, "package.json"), '{"private":true,"type":"module"}');
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: js });
  const tarball = readdirSync(folder).find((f) => f.endsWith(".tgz"));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)]);
  assert.deepEqual(readdirSync(join(project, "node_modules")).filter((n) => !n.startsWith(".")), ["stormlint"], "the package brings others with it");
  await serve();
});

after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

async function serve() {
  const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html", ".ndjson": "text/plain" };
  server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    const file = join(project, path);
    const shell = /^\/page\/(.*)$/.exec(path); // a page around one script
    if (shell) return response.writeHead(200, { "content-type": "text/html", "content-security-policy": csp }).end(`<!doctype html><script type="module" src="/${shell[1]}"></script>`);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "content-security-policy": csp }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${server.address().port}`;
  const { chromium } = await import("playwright-core");
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/** Opens a page around a script under the CSP and gives what its answer() says. */
async function inPage(script, wasm) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("console", (m) => m.type() === "error" && !/favicon/.test(m.location().url) && errors.push(m.text()));
  await page.goto(`${base}/page/${script}`);
  await page.waitForFunction(() => globalThis.answer, undefined, { timeout: 20_000 }).catch((e) => assert.fail(`${e.message}\n${errors.join("\n")}`));
  const said = await page.evaluate((w) => globalThis.answer(w), wasm);
  assert.deepEqual(errors, []);
  await page.close();
  return said;
}

/** Every environment says what the first one said. */
function same(said) {
  const text = said.trim();
  assert.ok(text.startsWith(want), text);
  assert.equal(text, (answer ??= text));
}

test("Node, ESM", async () => same(await node("esm.mjs")));
test("Node, CJS", async () => same(await node("cjs.cjs")));
test("Node, the build for Go's own loader", async () => same(await node("gojs.mjs")));

test("npx", async () => {
  const npx = (args, options) => run("npx", ["--no", "stormlint", ...args], options);
  assert.match(await npx(["analyze", "sample.ndjson"]), /64 clients made 1,289 attempts/);
  assert.match(await npx(["lint", "-p", "lib:socket.io-client"], { code: 1 }), /jitter lost at the cap/);
  assert.match(await npx(["lint", "-p", "fibonacci:1s"], { code: 2, both: true }), /^stormlint: backoff: policy is "fibonacci"/);
});

test("Deno", async () => same(await run(join(tools, ".bin/deno"), ["run", "--allow-all", "--no-prompt", "--node-modules-dir=manual", "esm.mjs"], { env: { DENO_NO_UPDATE_CHECK: "1", DENO_DIR: join(folder, "deno") } })));
test("Bun", async () => {
  const built = readdirSync(join(tools, "@oven")).find((name) => existsSync(join(tools, "@oven", name, "bin/bun")));
  same(await run(join(tools, "@oven", built, "bin/bun"), ["esm.mjs"]));
});

const plain = (name) => {
  const text = readFileSync(join(project, name), "utf8").replaceAll(/"(stormlint[^"]*)"/g, (_, entry) => `"/node_modules/stormlint/dist/${entry === "stormlint" ? "browser" : entry.split("/")[1]}.js"`);
  writeFileSync(join(project, `plain-${name}`), text);
};

test("a page's <script type=module>, under the CSP", async () => {
  plain("app.js");
  same(await inPage("plain-app.js"));
});

test("a page with the build for Go's own loader", async () => {
  writeFileSync(join(project, "plain-gojs.js"), `import { load } from "/node_modules/stormlint/dist/gojs-browser.js"; import { check } from "/check.js";
globalThis.answer = async () => check(await load(), await (await fetch("/sample.ndjson")).blob());`);
  same(await inPage("plain-gojs.js"));
});

test("a Web Worker of the user's own", async () => {
  plain("worker.js");
  writeFileSync(join(project, "asks-worker.js"), `globalThis.answer = () => new Promise((good) => { const w = new Worker("/plain-worker.js", { type: "module" }); w.onmessage = (e) => good(e.data); w.onerror = (e) => good(String(e.message)); w.postMessage(0); });`);
  same(await inPage("asks-worker.js"));
});

test("vite", async () => {
  const { build } = await import("vite");
  writeFileSync(join(project, "index.html"), '<!doctype html><script type="module" src="/app.js"></script>');
  await build({ root: project, base: "/vite/", logLevel: "error", build: { outDir: "vite", modulePreload: false } });
  const [, script] = /src="\/(vite\/[^"]*)"/.exec(readFileSync(join(project, "vite/index.html"), "utf8"));
  same(await inPage(script));
});

test("webpack", async () => {
  const { default: webpack } = await import(pathToFileURL(createRequire(join(tools, "x.js")).resolve("webpack")).href);
  const stats = await new Promise((good, bad) => webpack({ mode: "production", context: project, entry: "./app.js", output: { path: join(project, "webpack"), filename: "main.js" } }, (e, s) => (e ? bad(e) : good(s))));
  assert.ok(!stats.hasErrors() && !stats.compilation.warnings.some((w) => !/size limit/.test(w.message)), stats.toString({ all: false, errors: true, warnings: true }));
  same(await inPage("webpack/main.js"));
});

test("esbuild, which moves no wasm: load(url), and the worker as an entry of its own", async () => {
  const { build } = await import("esbuild");
  writeFileSync(join(project, "with-url.js"), `import wasm from "stormlint/stormlint.wasm"; import "./app.js"; const { answer } = globalThis; globalThis.answer = () => answer(new URL(wasm, import.meta.url));`);
  await build({ absWorkingDir: project, entryPoints: { main: "with-url.js", worker: "stormlint/worker" }, bundle: true, format: "esm", outdir: "esbuild", loader: { ".wasm": "file" }, logLevel: "error" });
  same(await inPage("esbuild/main.js"));
});

test("the examples: vitest", async () => {
  link(js + "/node_modules", "vitest");
  link(sdks, "graphql-ws", "graphql");
  assert.match(await node(join(js, "node_modules/vitest/vitest.mjs"), "run", "--root", join(project, "examples/vitest")), /1 passed/);
});

test("the examples: jest", async () => {
  link(js + "/node_modules", "jest", "@jest/globals");
  link(sdks, "centrifuge");
  writeFileSync(join(project, "examples/jest/package.json"), '{"type":"commonjs","jest":{"testEnvironment":"node","transform":{}}}');
  assert.match(await run(process.execPath, [join(js, "node_modules/jest/bin/jest.js"), "--rootDir", join(project, "examples/jest")], { cwd: join(project, "examples/jest"), both: true }), /Tests: +2 passed/);
});

test("the examples: node:test", async () => {
  link(sdks, "axios-retry", "axios");
  assert.match(await node("--test", "--test-reporter=tap", "examples/node-test/axios-retry.test.mjs"), /# pass 1/);
});
