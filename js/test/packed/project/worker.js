// In a worker of the user's own.
import { load } from "stormlint";
import { check } from "./check.js";

onmessage = async () => {
  try {
    postMessage(await check(await load(), await (await fetch("/sample.ndjson")).text()));
  } catch (error) {
    postMessage(String(error));
  }
};
