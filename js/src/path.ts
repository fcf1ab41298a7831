import { open } from "node:fs/promises";

import { StormlintError } from "./failure.js";
import type { Ranged } from "./ranged.js";

/** A file by its path. */
export async function openPath(path: string): Promise<Ranged> {
  const wrong = (cause: NodeJS.ErrnoException): never => {
    const why = cause.code === "ENOENT" ? "no such file" : cause.code === "EISDIR" ? "this is a folder" : cause.message;
    throw new StormlintError("unreadable", `${path}: ${why}`, { source: path }, { cause });
  };
  const file = await open(path).catch(wrong);
  const about = await file.stat();
  if (!about.isFile()) {
    await file.close();
    throw new StormlintError("unreadable", `${path}: ${about.isDirectory() ? "this is a folder" : "this is no file"}`, { source: path });
  }
  return {
    size: about.size,
    read: async (from, to) => {
      const bytes = new Uint8Array(to - from);
      let n = 0;
      while (n < bytes.length) {
        const { bytesRead } = await file.read(bytes, n, bytes.length - n, from + n).catch(wrong);
        if (bytesRead === 0) break;
        n += bytesRead;
      }
      return bytes.subarray(0, n);
    },
    close: () => file.close(),
  };
}
