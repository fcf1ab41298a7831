// The words of the page: both languages have every text, with the same values; every rule, reason and blind spot of the
// core has its Japanese.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

import { loadSync } from "../dist/node.js";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../page");
const s = loadSync();
const ask = (op, options) => JSON.parse(new TextDecoder().decode(s.call(op, options)));
let words;

before(async () => {
  const from = (name) => `export * from ${JSON.stringify(join(folder, "i18n", name))};`;
  const { outputFiles } = await build({ stdin: { contents: from("en.ts") + from("ja.ts") + from("rules.ja.ts") + from("phrases.ja.ts"), resolveDir: folder }, bundle: true, write: false, format: "esm" });
  words = await import("data:text/javascript," + encodeURIComponent(outputFiles[0].text));
});

const values = (text) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((m) => m[1]))].sort();

test("both languages have the same keys and the same values", () => {
  assert.deepEqual(Object.keys(words.ja).sort(), Object.keys(words.en).sort());
  for (const [key, text] of Object.entries(words.en)) assert.deepEqual(values(words.ja[key]), values(text), key);
});

test("Japanese texts are Japanese", () => {
  const names = /^(language|list\.comma|fact\.mark|download\.(html|markdown|json)|chart\.wave\.at|paste\.hint|lives\.between|reading\.|client\.seen|set\.tz\.hint)/;
  for (const [key, text] of Object.entries(words.ja)) if (!names.test(key)) assert.match(text, /[\u3000-\u30ff\u4e00-\u9fff]/, `${key}: ${text}`);
});

test("every text is used, and every text that is used exists", () => {
  let source = "";
  const walk = (at) => {
    for (const e of readdirSync(at, { withFileTypes: true })) {
      if (e.isDirectory()) walk(join(at, e.name));
      else if (e.name.endsWith(".ts") && e.name !== "en.ts" && e.name !== "ja.ts") source += readFileSync(join(at, e.name), "utf8");
    }
  };
  walk(folder);
  const made = [...source.matchAll(/t\(`([\w.-]*)\$\{[^}]*\}([\w.]*)`/g)].map((m) => new RegExp(`^${m[1].replaceAll(".", "\\.")}[\\w.+-]+${m[2].replaceAll(".", "\\.")}$`));
  const dead = Object.keys(words.en).filter((k) => !source.includes(`"${k}"`) && !made.some((p) => p.test(k)) && !/^kind\./.test(k));
  assert.deepEqual(dead, []);
});

test("no markup is parsed anywhere", () => {
  const walk = (at) => readdirSync(at, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? walk(join(at, e.name)) : [join(at, e.name)]));
  for (const path of walk(folder).filter((p) => p.endsWith(".ts"))) {
    assert.doesNotMatch(readFileSync(path, "utf8"), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function/, path);
  }
});

test("every rule has a Japanese title, lesson and remedy", () => {
  const ids = ask("explain", {}).map((r) => r.rule);
  assert.deepEqual(Object.keys(words.rules).sort(), [...ids].sort());
});

test("every blind spot of a format, and every reason to skip a record, has its Japanese", () => {
  const known = (text) => Object.hasOwn(words.phrases, text) || words.patterns.some(([p]) => p.test(text));
  const spots = new Set(ask("formats", { output: "json" }).formats.flatMap((f) => f.blind_spots));
  assert.deepEqual([...spots].filter((b) => !known(b)), []);
  const counts = readFileSync(join(folder, "../../core/connlog/format.go"), "utf8");
  const reasons = [...counts.matchAll(/ Reason = "([^"]+)"/g)].map((m) => m[1]);
  assert.ok(reasons.length > 10);
  assert.deepEqual(reasons.filter((r) => !known(r)), []);
  const cases = ask("recommend", { clients: 2000, capacity: 100 }).if_wrong.map((c) => c.case);
  assert.deepEqual(cases.filter((c) => !known(c)), []);
});
