// For people: axe finds nothing in any state, light and dark, in both languages; the keyboard goes all the way; nothing is
// wider than a phone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { file, give, settled, stage, testdata } from "./page/stage.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let s;
before(async () => (s = await stage()));
after(() => s?.end());

// States of the page, each reached from the one before.
const states = [
  ["start", async () => {}],
  ["paste", (p) => p.click(".drop .row button >> nth=1")],
  ["problem", (p) => give(p, [{ name: "a.png", mimeType: "", buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47]) }])],
  ["unknown form", async (p) => {
    await p.setInputFiles("input[type=file]", [file("own.log", "alpha beta\ngamma delta\n")]);
    await p.waitForSelector(".samples");
    await p.waitForSelector(".bar");
  }],
  ["report", async (p) => {
    await p.click(".bar button");
    await p.click("#try-sample");
    await p.waitForSelector(".rows tbody tr td");
    await p.waitForTimeout(300);
  }],
  ["report, all open", async (p) => {
    await p.evaluate(() => document.querySelectorAll(".report details, .reading").forEach((d) => (d.open = true)));
    await p.waitForTimeout(300);
  }],
  ["client", async (p) => {
    await p.click(".rows tbody tr >> nth=0");
    await p.waitForSelector("dialog .ladder");
  }],
  ["calm report with skipped lines", async (p) => {
    await p.keyboard.press("Escape");
    await p.click(".bar button");
    await give(p, [join(testdata, "logs/own-nginx-broken.ndjson")]);
    await p.waitForTimeout(300);
  }],
  ["workbench", async (p) => {
    await p.click("#tab-bench");
    await p.waitForSelector(".snippets");
    await p.waitForSelector(".result");
  }],
  ["workbench, delays", (p) => p.check("input[value=delays]")],
];

for (const [dark, locale] of [[false, "en-US"], [true, "ja-JP"]]) {
  test(`axe: every state, ${dark ? "dark" : "light"}, ${locale}`, async () => {
    const v = await s.open({ dark, locale, width: 1100 });
    assert.equal(await v.page.locator("html").getAttribute("lang"), locale.slice(0, 2));
    const wrong = [];
    for (const [name, reach] of states) {
      await reach(v.page);
      await v.page.evaluate(axe).catch(() => {}); // the policy refuses eval in the page, not here; defined once
      const found = await v.page.evaluate(async () => {
        const r = await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
        return r.violations.map((x) => `${x.id}: ${x.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`);
      });
      wrong.push(...found.map((f) => `${name}: ${f}`));
    }
    assert.deepEqual(wrong, []);
    await v.leave();
  });
}

for (const [width, locale] of [[360, "en-US"], [360, "ja-JP"], [768, "en-US"]]) {
  test(`nothing is wider than ${width} px, ${locale}`, async () => {
    const v = await s.open({ width, height: 740, locale });
    const wide = [];
    for (const [name, reach] of states) {
      await reach(v.page);
      const over = await v.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) wide.push(`${name}: ${over} px too wide`);
    }
    assert.deepEqual(wide, []);
    await v.leave();
  });
}

test("the keyboard goes all the way", async () => {
  const v = await s.open();
  const p = v.page;
  const focus = () => p.evaluate(() => document.activeElement.textContent || document.activeElement.getAttribute("aria-label") || document.activeElement.tagName);
  const tabTo = async (what, most = 60) => {
    for (let i = 0; i < most; i++) {
      await p.keyboard.press("Tab");
      if (await p.evaluate((sel) => document.activeElement.matches(sel), what)) return;
    }
    assert.fail(`Tab does not reach ${what}; it is at ${await focus()}`);
  };
  await tabTo(".skip");
  await p.keyboard.press("Enter");
  await tabTo("#try-sample");
  await p.keyboard.press("Enter");
  await settled(p);
  assert.match(await focus(), /^Up to 64 clients/); // a screen reader begins with the story
  await tabTo(".stage");
  const summary = () => p.locator(".summary").evaluate((e) => e.textContent);
  // The summary follows the drawing, which follows the layout: what counts is the one that stays.
  await p.waitForFunction(() => {
    const was = window.seenSummary;
    window.seenSummary = document.querySelector(".summary").textContent;
    return was === window.seenSummary;
  }, null, { polling: 500 });
  const whole = await summary();
  await p.keyboard.press("+");
  await p.keyboard.press("+");
  await p.keyboard.press("ArrowRight");
  await p.waitForFunction((w) => document.querySelector(".summary").textContent !== w, whole);
  await p.keyboard.press("0");
  await p.waitForFunction((w) => document.querySelector(".summary").textContent === w, whole);
  await tabTo(".rows thead .c-attempts button");
  await p.keyboard.press("Enter");
  await p.waitForSelector("th[aria-sort].c-attempts");
  await tabTo(".rows tbody tr");
  await p.keyboard.press("End");
  await p.waitForFunction(() => document.activeElement.getAttribute("aria-rowindex") === "65");
  await p.keyboard.press("Home");
  await p.keyboard.press("ArrowDown");
  await p.waitForFunction(() => document.activeElement.getAttribute("aria-rowindex") === "3");
  await p.keyboard.press("Enter");
  await p.waitForSelector("dialog[open]");
  await p.keyboard.press("Escape");
  await p.waitForFunction(() => document.activeElement.getAttribute("aria-rowindex") === "3");
  await v.leave();
});

test("the language and the colours are remembered, and change what is there without reading again", async () => {
  const v = await s.open();
  await v.page.click("#try-sample");
  await settled(v.page);
  await v.page.selectOption(".tools select >> nth=0", "ja");
  assert.match(await v.page.locator(".lead").innerText(), /最大 64 台のクライアントが 4 波で一斉に戻りました/);
  await v.page.selectOption(".tools select >> nth=1", "dark");
  assert.equal(await v.page.locator("html").getAttribute("data-theme"), "dark");
  await v.page.reload();
  await v.page.waitForSelector(".drop");
  assert.equal(await v.page.locator("html").getAttribute("lang"), "ja");
  v.seen.late.length = 0; // a reload loads
  await v.leave();
});
