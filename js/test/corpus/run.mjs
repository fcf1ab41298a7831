// Runs the corpus in one environment and writes the digests of the answers, or compares those of all.
//
//   node test/corpus/run.mjs node|gojs|chromium FOLDER     writes FOLDER/node.txt …
//   node test/corpus/run.mjs table FOLDER                  prints the table; exits 1 where bytes differ
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

import { answer, digest } from "./answer.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const top = resolve(here, "../../..");
const testdata = join(top, "testdata");
const dist = join(top, "wasm/module/dist");
const require = createRequire(import.meta.url);

const [way, folder] = process.argv.slice(2);
const ways = { node, gojs, chromium, table };
if (!ways[way] || !folder) {
  console.error("usage: node test/corpus/run.mjs node|gojs|chromium|table FOLDER");
  process.exit(2);
}
await ways[way]();

function cases() {
  const notInput = /\.(md|txt|events|expected\.json)$|^validation\.json$/;
  const all = [];
  for (const c of JSON.parse(readFileSync(join(testdata, "corpus/cases.json"), "utf8"))) {
    if (!c.each) all.push(c);
    else
      for (const e of readdirSync(join(testdata, c.each), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)))
        if (!e.isDirectory() && !notInput.test(e.name)) all.push({ ...c, name: `${c.name}: ${e.name}`, inputs: [`${c.each}/${e.name}`] });
  }
  return all;
}

function read(path) {
  return new Uint8Array(readFileSync(join(testdata, path)));
}

// The package's own code, bundled: Instance, and what makes the build for Go's loader known.
async function own() {
  const contents = `export { Instance } from "./src/instance.ts"; export { knowGo } from "./gojs/start.ts";`;
  const { outputFiles } = await build({ stdin: { contents, resolveDir: join(here, "../..") }, alias: { "wasm-exec": join(dist, "gojs/wasm_exec.js") },
    bundle: true, write: false, format: "cjs", platform: "node" });
  const module = { exports: {} };
  new Function("module", "exports", "require", outputFiles[0].text)(module, module.exports, require);
  return module.exports;
}

async function write(make) {
  let digests = "";
  for (const c of cases()) digests += await digest(c, await answer(c, await make(), read));
  writeFileSync(join(folder, way + ".txt"), digests);
}

async function node() {
  const { Instance } = await own();
  const module = new WebAssembly.Module(readFileSync(join(dist, "stormlint.wasm")));
  await write(() => new Instance(module));
}

// The build for GOOS=js, by Go's own loader.
async function gojs() {
  const { Instance, knowGo } = await own();
  knowGo();
  const module = new WebAssembly.Module(readFileSync(join(dist, "gojs/stormlint-gojs.wasm")));
  await write(() => new Instance(module));
}

async function chromium() {
  const { chromium } = await import("playwright-core");
  const { outputFiles } = await build({ entryPoints: [join(here, "page.mjs")], bundle: true, write: false, format: "esm", platform: "browser" });
  const server = createServer((q, a) => {
    const path = decodeURIComponent(new URL(q.url, "http://x").pathname);
    const [type, body] =
      path === "/" ? ["text/html", `<!doctype html><script type="module" src="/page.js"></script>`]
      : path === "/page.js" ? ["text/javascript", outputFiles[0].text]
      : path === "/stormlint.wasm" ? ["application/wasm", readFileSync(join(dist, "stormlint.wasm"))]
      : path.startsWith("/testdata/") ? ["application/octet-stream", readFileSync(join(testdata, path.slice(10)))]
      : ["text/plain", ""];
    a.writeHead(200, { "content-type": type }).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (e) => console.error("page:", e.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => globalThis.corpus);
    writeFileSync(join(folder, way + ".txt"), await page.evaluate((all) => globalThis.corpus(all), cases()));
  } finally {
    await browser.close();
    server.close();
  }
}

function table() {
  const columns = [["native", "native"], ["native v3", "v3/native"], ["wazero", "wazero"], ["Node", "node"], ["Node, Go's loader", "gojs"], ["Chromium", "chromium"]].filter(([, file]) => {
    if (existsSync(join(folder, file + ".txt"))) return true;
    console.log(`not run: ${file}`);
    return false;
  });
  const answers = columns.map(([, file]) => new Map(readFileSync(join(folder, file + ".txt"), "utf8").trim().split("\n").map((l) => [l.split(" ").slice(2).join(" "), l.split(" ").slice(0, 2).join(" ")])));
  const reference = answers[0];
  const groups = new Map(); // files of one folder share a row
  let bad = 0;
  for (const name of new Set(answers.flatMap((a) => [...a.keys()]))) {
    const row = /^(.*): /.exec(name)?.[1] ?? name;
    const counts = groups.get(row) ?? groups.set(row, answers.map(() => [0, 0])).get(row);
    answers.forEach((a, i) => {
      const same = a.get(name) !== undefined && a.get(name) === reference.get(name);
      counts[i][same ? 0 : 1]++;
      if (!same) {
        bad++;
        console.log(`differs in ${columns[i][0]}: ${name}`);
      }
    });
  }
  const width = Math.max(...[...groups.keys()].map((k) => k.length));
  console.log(" ".repeat(width), ...columns.map(([title]) => title.padStart(17)));
  for (const [row, counts] of groups) {
    console.log(row.padEnd(width), ...counts.map(([good, wrong]) => (wrong ? `${wrong} of ${good + wrong} DIFFER` : good > 1 ? `${good} the same` : "the same").padStart(17)));
  }
  const total = reference.size;
  console.log(bad ? `${bad} answers differ` : `${total} answers, byte for byte the same in ${columns.length} environments`);
  process.exit(bad ? 1 : 0);
}
