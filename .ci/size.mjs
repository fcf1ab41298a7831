// Prints size and hash of modules, and fails when one is above the budget.
//
//	node .ci/size.mjs BUDGET FILE…      the budget in bytes, brotli at its best
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [budget, ...files] = process.argv.slice(2);
const kb = (n) => `${(n / 1024).toFixed(0)} KB`;
let over = false;
for (const file of files) {
  const b = readFileSync(file);
  const small = brotliCompressSync(b, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: b.length },
  }).length;
  console.log(`${file}\n  ${kb(b.length)} raw, ${kb(gzipSync(b, { level: 9 }).length)} gzip, ${kb(small)} brotli of ${kb(Number(budget))} allowed\n  sha256 ${createHash("sha256").update(b).digest("hex")}`);
  over ||= small > Number(budget);
}
if (over) {
  console.error("a module is above its budget");
  process.exit(1);
}
