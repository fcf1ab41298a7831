/** The words by which a program recognises a kind of error; the same as in Go. They may grow. */
export type Code =
  | "bad-usage" | "bad-value" | "bad-syntax" | "bad-state" | "unreadable" | "too-large" | "unsupported" | "infeasible"
  | "not-found" | "not-built" | "deadline" | "crashed" | "mismatch" | "closed" | (string & {});

/** Where and what was wrong, as far as it is known: zero and "" mean not known. */
export interface Place {
  /** The part of stormlint that says it. */
  package?: string;
  /** The input as it was named. */
  source?: string;
  /** The input's record, counted from 1. */
  record?: number;
  /** The input's line, counted from 1. */
  line?: number;
  /** The option, argument or key at fault. */
  field?: string;
  /** Its value, cut and masked. */
  value?: string;
  /** The allowed range or form, or what to do. */
  expected?: string;
}

/** Every error that stormlint throws on purpose. */
export class StormlintError extends Error implements Place {
  override readonly name = "StormlintError";
  readonly code: Code;
  readonly package: string;
  readonly source: string;
  readonly record: number;
  readonly line: number;
  readonly field: string;
  readonly value: string;
  readonly expected: string;

  constructor(code: Code, message: string, place: Place = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.package = place.package ?? "";
    this.source = place.source ?? "";
    this.record = place.record ?? 0;
    this.line = place.line ?? 0;
    this.field = place.field ?? "";
    this.value = place.value ?? "";
    this.expected = place.expected ?? "";
  }
}

/** The error of one value outside its range: the commonest of all, worded as core/fault words it. */
export function badValue(from: string, field: string, value: unknown, expected: string): StormlintError {
  const text = String(value);
  return new StormlintError("bad-value", `${from && `${from}: `}${field} is ${text}, expected ${expected}`, { package: from, field, value: text, expected });
}

/** Reads the module's error envelope. */
export function fromEnvelope(bytes: Uint8Array): StormlintError {
  try {
    const e = JSON.parse(new TextDecoder().decode(bytes)) as Place & { code: string; text: string };
    return new StormlintError(e.code, e.text, e);
  } catch (cause) {
    return new StormlintError("crashed", "the module's error cannot be read", {}, { cause });
  }
}
