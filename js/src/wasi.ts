// What the module may ask of its surroundings: next to nothing. It gets no files, no arguments, no environment and no
// date; it can die, and say a last word. These functions are all that it imports; those about
// files answer that there is none.

/** Thrown through the module when it exits. */
export class Exit extends Error {
  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

/** What the module wrote before it died, at most 4 KiB. */
export interface LastWords {
  text: string;
}

/** Starts a build for wasip1. */
export function startWasi(module: WebAssembly.Module, words: LastWords): { exports: WebAssembly.Exports; memory: WebAssembly.Memory } {
  let memory: WebAssembly.Memory | undefined;
  const { exports } = new WebAssembly.Instance(module, wasi(() => memory!, words));
  memory = exports.memory as WebAssembly.Memory;
  (exports as unknown as { _initialize(): void })._initialize();
  return { exports, memory };
}

/** Gives the imports of one instance; memory is asked for late, because it exists only after them. */
function wasi(memory: () => WebAssembly.Memory, words: LastWords): WebAssembly.Imports {
  const view = () => new DataView(memory().buffer);
  let clock = 0n;
  const nothing = (count: number, size: number) => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return 0;
  };
  const noFile = () => 8; // EBADF
  return {
    wasi_snapshot_preview1: {
      fd_close: noFile,
      fd_fdstat_get: noFile,
      fd_fdstat_set_flags: noFile,
      fd_prestat_get: noFile,
      fd_prestat_dir_name: noFile,
      args_get: () => 0,
      args_sizes_get: nothing,
      environ_get: () => 0,
      environ_sizes_get: nothing,
      // A clock that only tells that time goes on: the scheduler wants no more.
      clock_time_get: (_id: number, _precision: bigint, at: number) => {
        view().setBigUint64(at, (clock += 1_000_000n), true);
        return 0;
      },
      // Seeds the hashes of Go's maps, so that nobody can write a log whose keys collide; no output depends on it.
      random_get: (at: number, n: number) => {
        for (let i = 0; i < n; i += 65536) {
          globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, at + i, Math.min(65536, n - i)));
        }
        return 0;
      },
      fd_write: (_fd: number, vectors: number, count: number, written: number) => {
        let total = 0;
        for (let i = 0; i < count; i++) {
          const at = view().getUint32(vectors + 8 * i, true);
          const n = view().getUint32(vectors + 8 * i + 4, true);
          if (words.text.length < 4096) words.text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, Math.min(n, 4096)));
          total += n;
        }
        view().setUint32(written, total, true);
        return 0;
      },
      poll_oneoff: (_in: number, _out: number, _n: number, events: number) => {
        view().setUint32(events, 0, true);
        return 0;
      },
      proc_exit: (status: number) => {
        throw new Exit(status);
      },
      sched_yield: () => 0,
    },
  };
}
