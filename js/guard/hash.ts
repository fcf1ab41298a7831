const mask = (1n << 64n) - 1n;
const k0 = 0xa0761d6478bd642fn;
const k1 = 0xe7037ed1a0b428dbn;
const k2 = 0x8ebc6af09c88c6e3n;
const encoder = new TextEncoder();

/** Names a key by 64 bits that nobody can predict without the seed; the same as in Go. */
export function hash(seed: bigint, key: string): bigint {
  const bytes = encoder.encode(key);
  let h = fold(seed ^ k0, BigInt(bytes.length) ^ k1);
  let i = 0;
  for (; bytes.length - i > 16; i += 16) h = fold(word(bytes, i, i + 8) ^ k1, word(bytes, i + 8, i + 16) ^ h);
  const a = word(bytes, i, Math.min(i + 8, bytes.length));
  const b = word(bytes, i + 8, bytes.length);
  return fold(h ^ k2, fold(a ^ k1 ^ seed, b ^ h));
}

function fold(a: bigint, b: bigint): bigint {
  const p = a * b;
  return (p >> 64n) ^ (p & mask);
}

/** Up to eight bytes, the first lowest. */
function word(bytes: Uint8Array, from: number, to: number): bigint {
  let v = 0n;
  for (let i = to - 1; i >= from; i--) v = (v << 8n) | BigInt(bytes[i]!);
  return v;
}
