// What the module knows of itself: rules, libraries, formats. Asked once.
import { language } from "./i18n/index.js";
import { rules as japanese } from "./i18n/rules.ja.js";
import { Kept } from "./kept.js";
import type { Clerk } from "./worker/clerk.js";

/** A rule of the linter, in the language shown. */
export interface Rule {
  rule: string;
  title: string;
  severity: string;
  lesson: string;
  threshold: string;
  fix: string;
}

/** A real library whose schedule is known. */
export interface Library {
  name: string;
  ecosystem: string;
  version: string;
  policy: string;
  note: string;
}

/** A format of logs. */
export interface Format {
  name: string;
  title: string;
}

/** The catalogue; each part is empty until it has arrived. */
export class Catalogue {
  private rules = new Map<string, Rule>();
  libraries: Library[] = [];
  formats: Format[] = [];
  private readonly all: Kept<void>;

  constructor(desk: Clerk) {
    this.all = new Kept(() => this.read(desk));
    this.all.get().catch(() => {}); // a module that does not load is told where it is used
  }

  /** When everything is there. */
  get ready(): Promise<void> {
    return this.all.get();
  }

  private async read(desk: Clerk): Promise<void> {
    const [rules, libraries, formats] = await Promise.all([
      ask<Rule[]>(desk, "explain", {}), ask<Library[]>(desk, "explain", { rule: "lib:" }), ask<{ formats: Format[] }>(desk, "formats", { output: "json" }),
    ]);
    this.rules = new Map(rules.map((r) => [r.rule, r]));
    this.libraries = libraries;
    this.formats = formats.formats;
  }

  /** A rule by its id. */
  rule(id: string): Rule | undefined {
    const r = this.rules.get(id);
    return r && language() === "ja" ? { ...r, ...japanese[id] } : r;
  }
}

/** Asks an operation of the module for JSON. */
export async function ask<T>(clerk: Clerk, name: string, options: unknown, body?: Uint8Array): Promise<T> {
  const bytes = await clerk.ask<Uint8Array>({ op: "call", name, options, ...(body ? { body } : {}) });
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}
