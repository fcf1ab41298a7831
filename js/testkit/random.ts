/**
 * Randomness that can be repeated: the same counter-based generator as the core's, so that draw n of client i under a
 * seed is the same number everywhere, whatever was drawn in between by others.
 */

const mask = (1n << 64n) - 1n;

/** A source of uniform numbers in [0, 1) for one client. */
export class Source {
  #state: [number, number, number, number];

  constructor(
    readonly seed: number,
    readonly client: number,
  ) {
    // Four words of state from two numbers (splitmix64, Vigna 2015), then xoshiro128** (Blackman and Vigna 2018).
    let z = (BigInt.asUintN(64, BigInt(Math.trunc(seed))) * 0x9e3779b97f4a7c15n + BigInt(client) * 0xd1b54a32d192ed03n) & mask;
    const word = (): number => {
      z = (z + 0x9e3779b97f4a7c15n) & mask;
      let x = z;
      x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
      x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
      return Number((x ^ (x >> 31n)) & 0xffffffffn);
    };
    this.#state = [word(), word(), word(), word() | 1];
  }

  /** 32 random bits. */
  readonly bits = (): number => {
    const s = this.#state;
    const out = Math.imul(rotate(Math.imul(s[1], 5), 7), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return out;
  };

  /** Uniform in [0, 1) with 53 bits, in place of Math.random. */
  readonly random = (): number => (this.bits() >>> 5) * 2 ** -27 + (this.bits() >>> 6) * 2 ** -53;

  /** In place of crypto.getRandomValues. */
  readonly getRandomValues = <T extends ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i += 4) {
      const word = this.bits();
      for (let k = 0; k < 4 && i + k < bytes.length; k++) bytes[i + k] = word >>> (8 * k);
    }
    return view;
  };

  /** In place of crypto.randomUUID. */
  readonly randomUUID = (): string => {
    const b = this.getRandomValues(new Uint8Array(16));
    b[6] = (b[6]! & 15) | 64;
    b[8] = (b[8]! & 63) | 128;
    return hexOf(b).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((x) => x.toString(16).padStart(2, "0")).join("");
}

function rotate(x: number, k: number): number {
  return (x << k) | (x >>> (32 - k));
}
