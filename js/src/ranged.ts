/** A file that can be read anywhere: a Blob, or a path in Node. */
export interface Ranged {
  readonly size: number;
  /** The bytes from one offset up to another, fewer where the file has become shorter. They are the reader's to keep. */
  read(from: number, to: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The size of one read: small enough that two workers take little memory, large enough that its overhead does not show. */
export const slice = 4 << 20;

const ahead = 2;

/** Reads a range slice by slice. The next slices are on their way while one is looked at, so that nobody waits for a file. */
export async function* chunks(file: Ranged, from = 0, to = file.size): AsyncGenerator<Uint8Array> {
  const coming: Promise<Uint8Array>[] = [];
  for (let at = from; at < to || coming.length > 0; ) {
    while (at < to && coming.length <= ahead) {
      const next = file.read(at, Math.min(at + slice, to));
      next.catch(() => {}); // told when its turn comes, if it does
      coming.push(next);
      at += slice;
    }
    const bytes = await coming.shift()!;
    if (bytes.length > 0) yield bytes;
  }
}

/** A Blob or File as a file. */
export function blobFile(blob: Blob): Ranged {
  return {
    size: blob.size,
    read: async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer()),
    close: async () => {},
  };
}
