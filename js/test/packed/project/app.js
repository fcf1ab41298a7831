// In a page, through a bundler or as it is; the module's address is given where the bundler does not move it by itself.
import { load } from "stormlint";
import { ReconnectingSocket } from "stormlint/reconnect";
import { check } from "./check.js";

globalThis.answer = async (wasm) => {
  if (typeof ReconnectingSocket !== "function") throw new Error("no ReconnectingSocket");
  const s = await load(...(wasm ? [wasm] : []));
  const log = await (await fetch("/sample.ndjson")).blob();
  const alone = await check(s, log);
  const crew = await check(s, log, { workers: 2, smallest_part: 50_000 });
  if (alone !== crew) throw new Error(`with workers: ${crew}`);
  return alone;
};
