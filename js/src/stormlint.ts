import { StormlintError } from "./failure.js";
import { Instance, request } from "./instance.js";

/** A loaded module, ready to be asked. Get one from load() or loadSync(). */
export class Stormlint {
  /** The compiled module; it can be posted to a worker and loaded there. */
  readonly module: WebAssembly.Module;
  /** stormlint's version, the same in the module and in this package. */
  readonly version: string;
  private instance: Instance;

  /** @internal */
  constructor(module: WebAssembly.Module) {
    this.module = module;
    this.instance = new Instance(module);
    this.version = (JSON.parse(text(this.call("version"))) as { version: string }).version;
    if (this.version !== packageVersion) {
      throw new StormlintError("mismatch", `the module is version ${this.version}, this package ${packageVersion}`);
    }
  }

  /**
   * Asks one operation by name: what the methods are made of. The answer is the core's bytes, mostly JSON.
   * @param body raw bytes, where the operation takes them beside its options
   */
  call(op: string, options?: unknown, body?: Uint8Array): Uint8Array {
    if (this.instance.crashed) this.instance = new Instance(this.module);
    return this.instance.call(op, request(options, body));
  }
}

declare const packageVersion: string;

const decoder = new TextDecoder();

/** The text of the core's bytes. */
export function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
