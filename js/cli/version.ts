import { abi, Instance, utf8 } from "../src/instance.js";
import { module } from "./module.js";
import type { Verb } from "./verb.js";

declare const packageVersion: string;

/** version: which stormlint this is. */
export const version: Verb = {
  name: "version",
  help: "Print the version.",
  examples: "  stormlint version\n  stormlint version -o json",
  flags: [{ name: "output", short: "o", form: "text", only: ["text", "json"], initial: "text", help: "Form of the answer (text)." }],
  async run({ flags }, around) {
    if (flags.get("output") === "json") {
      await around.stdout(new Instance(module()).call("version", new Uint8Array()));
      await around.stdout(utf8("\n"));
    } else await around.stdout(utf8(`stormlint ${packageVersion} (abi ${abi}, module built in, ${process.platform}/${process.arch}, Node.js ${process.version})\n`));
    return false;
  },
};
