import { BlockList, isIP } from "node:net";
import { badValue } from "../src/failure.js";

/** Networks such as 10.0.0.0/8; v4-mapped addresses count as v4. */
export class Networks {
  private readonly list = new BlockList();
  readonly size: number;

  constructor(texts: readonly string[], field: string) {
    this.size = texts.length;
    for (const text of texts) {
      const [host, bits, rest] = text.trim().split("/");
      const family = isIP(host ?? "");
      const most = family === 4 ? 32 : 128;
      if (family === 0 || rest !== undefined || (bits !== undefined && (!/^(0|[1-9]\d*)$/.test(bits) || Number(bits) > most)))
        throw badValue("guard", field, JSON.stringify(text), "an address or a network such as 10.0.0.0/8");
      this.list.addSubnet(host!, bits === undefined ? most : Number(bits), family === 4 ? "ipv4" : "ipv6");
    }
  }

  has(address: string): boolean {
    return this.list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
  }
}

/** Reads an address with or without a port, in brackets or not; v4-mapped is v4. undefined for anything else. */
export function parse(text: string): string | undefined {
  let t = text.trim().replace(/^"(.*)"$/, "$1");
  const bracket = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(t);
  if (bracket) t = bracket[1]!;
  else if (/^\d+\.\d+\.\d+\.\d+:\d{1,5}$/.test(t)) t = t.slice(0, t.lastIndexOf(":"));
  t = t.replace(/%.*$/, "");
  switch (isIP(t)) {
    case 4:
      return t;
    case 6: {
      const g = groups(t);
      return g.slice(0, 5).every((x) => x === 0) && g[5] === 0xffff ? `${g[6]! >> 8}.${g[6]! & 255}.${g[7]! >> 8}.${g[7]! & 255}` : t.toLowerCase();
    }
  }
  return undefined;
}

/** The key of an address: itself, or the /64 of an IPv6 address, whose lower half a client changes at will. */
export function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const g = groups(address).slice(0, 4);
  while (g.length > 0 && g.at(-1) === 0) g.pop();
  return `${g.map((x) => x.toString(16)).join(":")}::`;
}

/** Walks the forwarded list from its end as long as each hop is a proxy of ours. */
export function clientOf(peer: string | undefined, list: string, proxies: Networks): string | undefined {
  if (proxies.size === 0) return peer;
  let client = peer;
  const hops = list.slice(-4096).split(",");
  while (client === undefined || proxies.has(client)) {
    const hop = parse(hops.pop() ?? "");
    if (hop === undefined) break;
    client = hop;
  }
  return client;
}

/** The eight groups of an IPv6 address that net.isIP accepts. */
function groups(text: string): number[] {
  const v4 = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (v4) text = `${v4[1]}${((+v4[2]! << 8) | +v4[3]!).toString(16)}:${((+v4[4]! << 8) | +v4[5]!).toString(16)}`;
  const [head, tail] = text.split("::");
  const parts = (s: string | undefined) => (s ? s.split(":").map((x) => parseInt(x, 16)) : []);
  const a = parts(head);
  const b = parts(tail);
  return tail === undefined ? a : [...a, ...new Array<number>(8 - a.length - b.length).fill(0), ...b];
}
