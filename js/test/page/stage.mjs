// A browser, a server of the built page, and what every test watches: no request after load, no violation of the policy,
// no error on the console.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
/** The repository. */
export const top = resolve(here, "../../..");
/** Its corpus. */
export const testdata = join(top, "testdata");
const dist = join(top, "js/dist/page");
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".ndjson": "application/x-ndjson", ".svg": "image/svg+xml" };

/** The command line, which the tests compare with. */
export const cli = join(top, "bin/stormlint");

/** Starts a server and a browser. */
export async function stage() {
  if (!existsSync(join(dist, "index.html"))) throw new Error("the page is not built: ./build.sh build");
  const server = createServer((q, a) => {
    const path = new URL(q.url, "http://x").pathname;
    const file = join(dist, path === "/" ? "index.html" : path.slice(1));
    if (path.includes("..") || !existsSync(file)) return a.writeHead(404).end();
    a.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const base = `http://127.0.0.1:${server.address().port}/`;

  /**
   * Opens the page; requests, violations and errors are collected from then on. What is missing of the page's own parts at
   * first may be asked for again.
   */
  async function open({ missing = false, hash = "", width = 1280, height = 900, dark = false, locale = "en-US", expectErrors = false, before } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", locale, reducedMotion: "reduce", acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    const seen = { late: [], errors: [], loaded: false };
    page.on("request", (r) => {
      if (missing && /^\/(worker\.js|stormlint\.wasm|sample\.ndjson)$/.test(new URL(r.url()).pathname) && r.url().startsWith(base)) return;
      if (seen.loaded && !r.url().startsWith("blob:") && !r.url().startsWith("data:")) seen.late.push(r.url());
    });
    page.on("pageerror", (e) => seen.errors.push(String(e)));
    page.on("console", (m) => m.type() === "error" && seen.errors.push(m.text()));
    await page.addInitScript(() => {
      globalThis.violations = [];
      document.addEventListener("securitypolicyviolation", (e) => globalThis.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
    });
    await before?.(page);
    await page.goto(base + hash);
    await page.waitForSelector("main");
    await page.waitForLoadState("networkidle");
    seen.loaded = true;
    return {
      page, seen,
      /** Everything that must hold of every visit. */
      async leave() {
        const violations = await page.evaluate(() => globalThis.violations);
        await context.close();
        const wrong = [...seen.late.map((u) => `a request after load: ${u}`), ...violations.map((v) => `a violation of the policy: ${v}`), ...(expectErrors ? [] : seen.errors)];
        if (wrong.length > 0) throw new Error(wrong.join("\n"));
      },
    };
  }

  return {
    open, base,
    async end() {
      await browser.close();
      server.close();
    },
  };
}

/** Gives files to the page, by their paths or as {name, mimeType, buffer}, and waits for what comes of it. */
export async function give(page, files) {
  await page.setInputFiles("input[type=file]", files);
  await settled(page);
}

/** Waits for a report or a problem. */
export function settled(page, timeout = 60_000) {
  return page.waitForSelector(".report h1, .problem", { timeout });
}

/** Opens the first finding. On a busy machine the page may still move under the pointer, and a click goes beside. */
export async function openFinding(page) {
  const first = page.locator(".finding details").first();
  for (let tries = 0; tries < 5 && !(await first.evaluate((e) => e.open)); tries++) await first.locator("summary").click();
}

/** The text of the first sentence. */
export const lead = (page) => page.locator(".lead").innerText();

/** The bytes of a download that a click starts. */
export async function download(page, form) {
  const [d] = await Promise.all([page.waitForEvent("download"), page.click(`[data-form=${form}]`)]);
  return { name: d.suggestedFilename(), bytes: readFileSync(await d.path()) };
}

/** A file in memory. */
export const file = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
