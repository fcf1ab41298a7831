// Builds dist/page: one script, one worker, one style sheet, the module and the sample. Nothing is loaded from elsewhere.
import { copyFileSync, mkdirSync, readFileSync, rmSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."));
const out = "dist/page";
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const version = JSON.parse(readFileSync("package.json", "utf8")).version;
const common = { bundle: true, minify: true, target: "es2022", platform: "browser", logLevel: "warning", legalComments: "none", charset: "utf8",
  define: { packageVersion: JSON.stringify(version) } };
await build({ ...common, entryPoints: ["page/main.ts"], outfile: `${out}/page.js`, format: "esm" });
await build({ ...common, entryPoints: ["page/worker/desk.ts"], outfile: `${out}/worker.js`, format: "iife" });
await build({ ...common, entryPoints: ["page/style/page.css"], outfile: `${out}/page.css` });
copyFileSync("page/index.html", `${out}/index.html`);
copyFileSync("../host/cmd/stormlint/sample.ndjson", `${out}/sample.ndjson`);
copyFileSync("dist/stormlint.wasm", `${out}/stormlint.wasm`);

if (process.argv.includes("--size")) size();

// The page's own share is what this folder adds; the module is measured on its own account.
function size() {
  const brotli = (name) => brotliCompressSync(readFileSync(join(out, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: statSync(join(out, name)).size } }).length;
  let own = 0;
  let all = 0;
  for (const name of readdirSync(out)) {
    const n = brotli(name);
    all += n;
    if (name !== "stormlint.wasm") own += n;
    console.log(`${String(n).padStart(9)}  ${name}`);
  }
  const budget = 96 * 1024;
  console.log(`${String(all).padStart(9)}  the whole page, brotli; its own share ${own} of ${budget}`);
  if (own > budget) process.exit(1);
}
