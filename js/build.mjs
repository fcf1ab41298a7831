// Builds dist/: one bundle for each way in, declarations for ESM and CJS, and the module itself.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const wasm = "../wasm/module/dist/stormlint.wasm";
if (!existsSync(wasm)) {
  console.error("js/build.mjs: the module is missing, run ./build.sh build");
  process.exit(1);
}
const version = JSON.parse(readFileSync("package.json", "utf8")).version;
const go = /Product = "(.*)"/.exec(readFileSync("../wasm/abi/version.go", "utf8"))[1];
if (version !== go) {
  console.error(`js/build.mjs: package.json says version ${version}, wasm/abi says ${go}`);
  process.exit(1);
}

// The page may have been built into dist/page by another script: keep it.
mkdirSync("dist", { recursive: true });
for (const name of readdirSync("dist")) if (name !== "page") rmSync(join("dist", name), { recursive: true });

const common = { bundle: true, target: "es2022", logLevel: "warning", legalComments: "none", sourcemap: false,
  define: { packageVersion: JSON.stringify(version) } };
// For Node: ESM in one go, so that the ways in share their parts; CJS each on its own.
const both = { node: "src/node.ts", testkit: "testkit/index.ts", matchers: "matchers/index.ts", jest: "matchers/jest.ts", guard: "guard/index.ts",
  "node-test": "matchers/node-test.ts", chai: "matchers/chai.ts" };
const run = { "worker-node": "src/worker-node.ts", cli: "cli/bin.ts", command: "cli/run.ts" }; // never imported by a user
const external = ["vitest", "@jest/globals", "./gojs/wasm_exec.js"];
const alias = { "wasm-exec": "./gojs/wasm_exec.js" }; // Go's own file, beside the bundles as it is
await build({ ...common, entryPoints: { ...both, ...run, vitest: "matchers/vitest.ts", gojs: "gojs/node.ts" }, outdir: "dist", platform: "node", format: "esm", splitting: true, chunkNames: "[name]-[hash]", alias, external });
await build({ ...common, entryPoints: both, outdir: "dist", outExtension: { ".js": ".cjs" }, platform: "node", format: "cjs", external,
  define: { ...common.define, "import.meta.url": "moduleURL" }, banner: { js: 'const moduleURL = require("node:url").pathToFileURL(__filename).href;' } });
for (const [format, ending] of [["esm", "js"], ["cjs", "cjs"]])
  await build({ ...common, entryPoints: ["reconnect/index.ts"], outfile: `dist/reconnect.${ending}`, platform: "neutral", format, minify: true });
await build({ ...common, entryPoints: { browser: "src/browser.ts", worker: "src/worker-browser.ts", "gojs-browser": "gojs/browser.ts" }, outdir: "dist", platform: "browser", format: "esm", alias, external });

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], { stdio: "inherit" });
rmSync("dist/types/cli", { recursive: true }); // nobody imports the command
twins("dist");
copyFileSync(wasm, "dist/stormlint.wasm");
cpSync("../wasm/module/dist/gojs", "dist/gojs", { recursive: true });
for (const sample of ["sample.ndjson", "sample.json"]) copyFileSync(`../host/cmd/stormlint/${sample}`, `dist/${sample}`);
chmodSync("dist/cli.js", 0o755);
copyFileSync("../LICENSE", "LICENSE");

// twins gives every declaration a CJS copy, whose imports name the CJS copies.
function twins(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      if (name !== "page") twins(path);
    } else if (name.endsWith(".d.ts")) {
      const text = readFileSync(path, "utf8").replace(/(from |import\()"(\.[^"]*)\.js"/g, '$1"$2.cjs"');
      writeFileSync(path.replace(/\.d\.ts$/, ".d.cts"), text);
    }
  }
}
