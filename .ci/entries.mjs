// Prints what each entry of the npm package weighs in a user's bundle, without the module, and fails when reconnect is above
// its budget.
//
//	node .ci/entries.mjs BUDGET      of reconnect, in bytes, gzip at its best; after ./build.sh build
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const js = new URL("../js/", import.meta.url);
const { build } = createRequire(new URL("x.js", js))("esbuild");
const { exports: entries } = JSON.parse(readFileSync(new URL("package.json", js), "utf8"));
const kb = (n) => `${(n / 1000).toFixed(1)} KB`.padStart(9);
let over = false;
console.log("entry".padEnd(24), "minified".padStart(9), "gzip".padStart(9));
for (const [name, ways] of Object.entries(entries)) {
  if (typeof ways === "string") continue;
  const places = name === "." || name === "./gojs" ? ["node", "browser"] : ["node"];
  for (const platform of places) {
    const entry = name.replace(".", "stormlint");
    const { outputFiles } = await build({ stdin: { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: js.pathname }, bundle: true, minify: true, write: false, format: "esm",
      platform, conditions: ["import"], external: ["vitest", "@jest/globals", "*/wasm_exec.js"], logLevel: "error" });
    const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
    console.log((entry + (places.length > 1 ? `, ${platform}` : "")).padEnd(24), kb(outputFiles[0].contents.length), kb(size));
    if (name === "./reconnect" && size > Number(process.argv[2])) over = true;
  }
}
if (over) {
  console.error("stormlint/reconnect is above its budget");
  process.exit(1);
}
