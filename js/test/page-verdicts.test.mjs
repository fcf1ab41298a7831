// The page gives the command line's bytes over the corpus. A third of its files here, so that the test command stays within its
// time; all of them with EVERY=1.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { cli, download, stage, testdata } from "./page/stage.mjs";

const run = promisify(execFile);
let s;
before(async () => (s = await stage()));
after(() => s?.end());

test("the logs of the corpus: the same bytes as the command line's", { timeout: 300_000 }, async () => {
  assert.ok(existsSync(cli), "bin/stormlint is missing: ./build.sh build");
  const corpus = ["logs", "storms"].flatMap((folder) => readdirSync(join(testdata, folder)).filter((n) => /\.(log|ndjson|tsv)$/.test(n)).map((n) => [folder, n]));
  assert.ok(corpus.length > 50);
  const files = corpus.filter((_, i) => process.env.EVERY || i % 3 === 0);
  const v = await s.open();
  const different = [];
  let refused = 0;
  for (const [folder, name] of files) {
    const wanted = await run(cli, ["analyze", "-o", "json", name], { cwd: join(testdata, folder), maxBuffer: 64 << 20 }).then((r) => r.stdout, () => undefined);
    await v.page.setInputFiles("input[type=file]", join(testdata, folder, name));
    const sight = await v.page.waitForSelector(".report h1, .problem", { timeout: 30_000 });
    const problem = (await sight.evaluate((e) => e.closest(".problem")?.textContent)) ?? "";
    if (problem) {
      // Refused here and there, or nothing about WebSockets: then the command line's report has no event.
      const nothing = wanted !== undefined && JSON.parse(wanted).input.used === 0;
      if (wanted !== undefined && !nothing) different.push(`${name}: ${problem}`);
      refused++;
    } else {
      const { bytes } = await download(v.page, "json");
      if (bytes.toString() + "\n" !== wanted) different.push(name);
    }
    await v.page.click(problem && !(await v.page.locator(".bar").count()) ? "h1" : ".bar button");
    await v.page.waitForSelector(".drop");
  }
  assert.deepEqual(different, []);
  assert.ok(refused < files.length / 4, `${refused} of ${files.length} have nothing to compare`);
  await v.leave();
});
