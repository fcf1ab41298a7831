/** Refuses an option by its name, when there is none of that name. */
export function refuseUnknown(options: object, known: readonly string[]): void {
  for (const name of Object.keys(options))
    if (!known.includes(name)) throw new KitError("bad-usage", `unknown option: ${name}, expected one of ${known.join(", ")}`);
}

/** The error of a kit that was used in a way that cannot work, or of a client that broke; `code` is one of stormlint's words. */
export class KitError extends Error {
  override readonly name = "KitError";
  constructor(
    readonly code: "bad-value" | "bad-usage" | "unsupported" | "crashed",
    message: string,
    options?: { cause?: unknown },
  ) {
    super(`testkit: ${message}`, options);
  }
}
