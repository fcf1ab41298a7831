import { StormlintError } from "./failure.js";
import type { Ranged } from "./ranged.js";

/** A file by its path, of which a browser has none. */
export async function openPath(): Promise<Ranged> {
  const expected = "a File, a Blob or bytes";
  throw new StormlintError("unsupported", `a path can be read in Node only, expected ${expected}`, { expected });
}
