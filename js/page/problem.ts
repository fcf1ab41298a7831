// What went wrong, as a sentence that says what to do.
import { t, type Key } from "./i18n/index.js";
import { plain } from "./worker/fault.js";
import type { Kind } from "./worker/head.js";
import { Told } from "./worker/told.js";

/** A sentence about what happened, one about what to do, and the core's own words where they say more. */
export interface Problem {
  title: string;
  todo: string;
  detail: string;
  /** The log is of no known form: show its first lines and how to describe them. */
  unknown: boolean;
  /** The form of how the log is read is what mends it. */
  settings: boolean;
}

const kinds: Partial<Record<Kind, Key>> = {
  image: "kind.image", pdf: "kind.pdf", zip: "kind.zip", xz: "kind.xz", bzip2: "kind.bzip2", "7z": "kind.7z", "utf-16": "kind.utf-16", program: "kind.program",
  sqlite: "kind.sqlite", parquet: "kind.parquet", capture: "kind.capture", binary: "kind.binary",
};

/** The problem with a file of a kind that is no log; nothing when it can be read. */
export function ofKind(kind: Kind, name: string): Problem | undefined {
  if (kind === "empty") return problem("problem.empty", "problem.empty.do", { name });
  const key = kinds[kind];
  return key && problem("problem.kind", `${key}.do` as Key, { name, kind: t(key) });
}

/** A problem by its two texts. */
export function problem(title: Key, todo: Key, values: Record<string, string | number> = {}, detail = "", unknown = false): Problem {
  return { title: t(title, values), todo: t(todo, values), detail, unknown, settings: unknown || title === "problem.value" };
}

/** The problem behind an error. */
export function ofError(e: unknown, log = ""): Problem {
  const f = e instanceof Told ? e.fault : plain(e);
  const name = f.source || log || t("this.log");
  switch (f.code) {
    case "not-served": return problem("problem.not-served", "problem.not-served.do", { file: f.text });
    case "wrong-module": return problem("problem.wrong-module", "problem.wrong-module.do", { file: f.text });
    case "mismatch": return problem("problem.mismatch", "problem.mismatch.do", {}, f.text);
    case "file-changed": return problem("problem.changed", "problem.changed.do", { name });
    case "out-of-memory": return problem("problem.memory", "problem.memory.do", { name });
    case "crashed": return problem("problem.crashed", "problem.crashed.do", {}, f.text);
    case "bad-value": case "bad-usage": case "unsupported": case "not-found": return problem("problem.value", "problem.value.do", { field: f.field ? fieldName(f.field) : "" }, f.text);
    case "bad-syntax": if (!f.record) return problem("problem.damaged", "problem.damaged.do", { name });
  }
  if (/input is empty/.test(f.text)) return problem("problem.empty", "problem.empty.do", { name });
  if (/line longer than the limit/.test(f.text)) return problem("problem.long", "problem.long.do", { name }, f.text);
  if (f.code === "unreadable" || f.code === "bad-syntax") return problem("problem.unknown", "problem.unknown.do", { name }, f.text, true);
  return problem("problem.other", "problem.other.do", {}, f.text);
}

const fields: Record<string, Key> = {
  tz: "set.tz", "log-format": "set.log_format", log_format: "set.log_format", map: "set.map", path: "set.path", "trusted-proxy": "set.trusted_proxy", trusted_proxy: "set.trusted_proxy",
  format: "set.format", since: "set.since", until: "set.until", mark: "set.mark", capacity: "set.capacity", threshold: "set.threshold", budget: "set.budget", protocol: "set.protocol", "group-by": "set.group_by", group_by: "set.group_by", key: "set.key",
};

function fieldName(word: string): string {
  return fields[word] ? t(fields[word]) : word;
}
