// The pool in Chromium: the same bytes as in this process, with workers, for Files, compressed or not; and, with a size, the
// time for a File of so many MB against Blob.stream() alone reading it, and the memory that it takes.
//
//	node test/pool/chromium.mjs [MB [ROUNDS]]
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

import { loadSync } from "stormlint";

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(here, "../../dist");
const [mb = "0", rounds = "3"] = process.argv.slice(2);
const sample = readFileSync(join(here, "../../../host/cmd/stormlint/sample.ndjson"));
const half = sample.indexOf(10, 100_000) + 1;
const files = {
  plain: sample,
  array: Buffer.from("[" + sample.toString().trim().split("\n").join(",") + "]"),
  gzip: gzipSync(sample),
  "gzip, two members": Buffer.concat([gzipSync(sample.subarray(0, half)), gzipSync(sample.subarray(half))]),
  "gzip, zeros after": Buffer.concat([gzipSync(sample), Buffer.alloc(700)]),
  "gzip, cut": gzipSync(sample).subarray(0, 6000),
  "gzip, garbage after": Buffer.concat([gzipSync(sample), Buffer.from("this is no gzip, it is what follows")]),
  zstd: readFileSync(join(here, "../sample.ndjson.zst")),
};
const big = join(here, "../../../build/bench", `lines-${mb}`);
if (mb !== "0" && !existsSync(big)) throw new Error(`${big} is missing: go run ./host/bench -generate ${big} -shape lines -mb ${mb}`);

const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
const page = `<!doctype html><meta charset=utf-8><input type=file id=file><script type=module>
  import { load } from "/browser.js";
  globalThis.s = await load("/stormlint.wasm");
</script>`;
const server = createServer((q, a) => {
  const path = decodeURIComponent(new URL(q.url, "http://x").pathname).slice(1);
  const headers = { "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'" };
  if (path === "") return a.writeHead(200, { ...headers, "content-type": "text/html" }).end(page);
  if (files[path]) return a.writeHead(200, headers).end(files[path]);
  const file = join(dist, path);
  if (!existsSync(file)) return a.writeHead(404).end();
  a.writeHead(200, { ...headers, "content-type": types[path.slice(path.lastIndexOf("."))] ?? "text/plain" });
  createReadStream(file).pipe(a);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-precise-memory-info"] });
let bad = 0;
try {
  const tab = await browser.newPage();
  tab.on("pageerror", (e) => console.error("page:", e.message));
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  await tab.waitForFunction(() => globalThis.s);
  const s = loadSync();
  for (const [name, bytes] of Object.entries(files)) {
    for (const compat of [false, true]) {
      const options = { evaluated_at: "2026-01-01T00:00:00Z", ...(compat ? { compat } : { evaluated_at: undefined }) };
      const say = (e) => `${e.code} ${e.message}`;
      const want = await s.analyzeFiles([{ input: bytes, name }], { ...options, workers: 0 }).then(
        (a) => JSON.stringify([new TextDecoder().decode(a.raw), a.damaged.map(say)]), say);
      const got = await tab.evaluate(async ([name, options]) => {
        const file = new File([await (await fetch("/" + encodeURIComponent(name))).arrayBuffer()], name);
        const say = (e) => `${e.code} ${e.message}`;
        try {
          const a = await globalThis.s.analyzeFiles([file], { ...options, workers: 2, smallest_part: 20_000 });
          a.close();
          return JSON.stringify([new TextDecoder().decode(a.raw), a.damaged.map(say)]);
        } catch (e) {
          return say(e);
        }
      }, [name, options]);
      const same = got === want;
      if (!same) bad++;
      console.log(`${same ? "the same" : "DIFFERS "} ${name}${compat ? ", compat" : ""} ${same && want.length < 200 ? want : ""}`);
      if (!same) console.log("  Chromium:", got.slice(0, 80), "…", got.slice(-160), "\n  Node:    ", want.slice(0, 80), "…", want.slice(-160));
    }
  }
  if (mb !== "0") await measure(tab);
} finally {
  await browser.close();
  server.close();
}
process.exit(bad ? 1 : 0);

async function measure(tab) {
  await tab.setInputFiles("#file", big);
  const size = statSync(big).size;
  const rows = [];
  for (let i = 0; i < Number(rounds); i++) {
    rows.push(await tab.evaluate(async () => {
      const file = document.querySelector("#file").files[0];
      const stream = async () => {
        const start = performance.now();
        let n = 0;
        for await (const chunk of file.stream()) n += chunk.length;
        return performance.now() - start;
      };
      const analysed = async (options) => {
        const start = performance.now();
        const a = await globalThis.s.analyzeFiles([file], options);
        const ms = performance.now() - start;
        a.close();
        return ms;
      };
      const memory = async () => (await performance.measureUserAgentSpecificMemory?.())?.bytes ?? performance.memory.usedJSHeapSize;
      return { stream: await stream(), compat2: await analysed({ compat: true, workers: 2 }), compat1: await analysed({ compat: true, workers: 1 }), analyze2: await analysed({ workers: 2 }), heap: await memory() };
    }));
    console.log(JSON.stringify(rows.at(-1)));
  }
  const median = (key) => rows.map((r) => r[key]).sort((a, b) => a - b)[rows.length >> 1];
  for (const key of ["stream", "compat1", "compat2", "analyze2"])
    console.log(`${key.padEnd(9)} ${(size / 1e6 / (median(key) / 1000)).toFixed(0).padStart(5)} MB/s  ${(median(key) / median("stream")).toFixed(2)} of Blob.stream() alone`);
}
