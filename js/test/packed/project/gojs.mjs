import { readFileSync } from "node:fs";
import { load } from "stormlint/gojs";
import { check } from "./check.js";

console.log(await check(await load(), readFileSync(new URL("./sample.ndjson", import.meta.url))));
process.exit(0); // Go's loader keeps the program alive
