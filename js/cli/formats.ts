import { Instance, utf8 } from "../src/instance.js";
import { coreOptions } from "../src/options.js";
import { reading, readingOptions } from "./analyze.js";
import { module } from "./module.js";
import { encode, type Fields } from "./request.js";
import { blank, fault, Nothing, open, resolve } from "./source.js";
import type { Flag, Surroundings, Verb } from "./verb.js";

const output: Flag = { name: "output", short: "o", form: "text", only: ["text", "json"], initial: "text", help: "Form of the answer (text)." };

/** formats, formats list: what is read. */
export const formats: Verb = {
  name: "formats list",
  help: "List the logs that are read; formats explain FILE says how one is.",
  examples: `  stormlint formats
  stormlint formats -o json
  stormlint formats explain access.log`,
  flags: [output],
  run: ({ flags }, around) => answer("formats", { output: flags.get("output") }, around),
};

/** formats explain: how one log is read. */
export const explain: Verb = {
  name: "formats explain",
  help: "Show how the first records of a log are read, field by field, and why.",
  takes: { name: "FILE", help: "A log, plain or compressed; - is standard input.", most: 1 },
  examples: `  stormlint formats explain access.log
  kubectl logs deploy/gw | stormlint formats explain
  stormlint formats explain --log-format '$remote_addr [$time_local] "$request" $status $request_time' access.log`,
  flags: [...reading, { name: "records", short: "n", form: "int", initial: "10", hint: "N", help: "How many records to show (10)." }, output],
  async run({ flags, files }, around) {
    const [name = "-"] = files;
    if (name === "-" && !around.stdin) throw fault("bad-usage", "no FILE and nothing on standard input", { expected: "a log to explain" });
    const head = await beginning(name, around);
    const options = coreOptions(readingOptions(flags));
    return answer("readings", { output: flags.get("output"), n: BigInt(String(flags.get("records"))), options }, around, head);
  },
};

/** The first 1 MiB of an input. */
async function beginning(name: string, around: Surroundings): Promise<Uint8Array> {
  const most = 1 << 20;
  const [source] = resolve([name], around);
  const parts: Uint8Array[] = [];
  let n = 0;
  try {
    for await (const chunk of open(source!)) {
      parts.push(chunk);
      if ((n += chunk.length) >= most) break;
    }
  } catch (error) {
    if (n === 0) throw error; // what can be read of damaged data is explained
  }
  const head = Buffer.concat(parts).subarray(0, most);
  if (blank(head)) throw new Nothing(name, "a log to explain");
  return head;
}

async function answer(op: string, request: Fields, around: Surroundings, body?: Uint8Array): Promise<false> {
  const page = { ...(around.color && { color: true }), ...(around.width > 0 && { width: around.width }) };
  await around.stdout(new Instance(module()).call(op, encode({ ...request, ...page }, body)));
  if (request.output === "json") await around.stdout(utf8("\n"));
  return false;
}
