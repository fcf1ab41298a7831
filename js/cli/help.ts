import { common } from "./parse.js";
import type { Flag, Verb } from "./verb.js";

const codes = "Exit codes: 0 done; 1 a finding at or above --fail-on; 2 bad usage or nothing readable.";

/** What `stormlint --help` prints. */
export function overview(verbs: readonly Verb[]): string {
  const list = verbs.map((v) => [v.name.replace(" list", ""), v.help] as const);
  return `Usage: stormlint <command> [flags]

stormlint finds, explains, predicts and stops WebSocket reconnect storms.

${codes}

Commands:
${columns(list)}

Such as:

  npx stormlint lint --policy lib:socket.io-client
  npx stormlint analyze access.log
  npx stormlint recommend -n 50000 -c 2000

stormlint <command> --help tells more. The commands guard, storm, gateway and page, which open sockets, are those of the
Go command line.
`;
}

/** What `stormlint VERB --help` prints. */
export function page(verb: Verb): string {
  const groups = [...new Set([...common, ...verb.flags].map((f) => f.group ?? ""))];
  const flags = groups.map((group) => `${group || "Flags"}:\n${columns([...common, ...verb.flags].filter((f) => (f.group ?? "") === group && f.name !== "version").map((f) => [form(f), f.help]))}\n`);
  const takes = verb.takes ? `\nArguments:\n${columns([[`[${verb.takes.name}]`, verb.takes.help]])}\n` : "";
  return `Usage: stormlint ${verb.name}${verb.takes ? ` [${verb.takes.name}${verb.takes.most > 1 ? " …" : ""}]` : ""} [flags]

${verb.help}
${takes}
${flags.join("\n")}
Such as:

${verb.examples}

${codes}
`;
}

function form(f: Flag): string {
  const value = f.form === "switch" ? "" : `=${f.hint ?? (f.only ? f.only.filter(Boolean).join("|") : "VALUE")}`;
  return `${f.short ? `-${f.short}, ` : "    "}--${f.name}${value}`;
}

/** Two columns, the second broken at 110. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(28, Math.max(...rows.map(([left]) => left.length)));
  return rows.map(([left, right]) => {
    const lines = [""];
    for (const word of right.split(" ")) {
      if (lines.at(-1)!.length + word.length > 110 - width - 4) lines.push("");
      lines.push(`${lines.pop()!}${word} `);
    }
    const head = left.length > width ? `  ${left}\n${" ".repeat(width + 4)}` : `  ${left.padEnd(width)}  `;
    return head + lines.map((l) => l.trimEnd()).join(`\n${" ".repeat(width + 4)}`);
  }).join("\n");
}
