// Node over a log in the base form: JSON.parse of each line, or a byte scanner written by hand for the one shape and spacing
// of the bench's input, which compares no key's name. Arguments: parse|scan FILE. Prints one JSON object.
import { openSync, readSync } from "node:fs";

const [way, path] = process.argv.slice(2);
const began = process.cpuUsage();
const table = new Map();
let records = 0;
const kinds = new Set(["retry", "connect", "disconnect"]);

function add(client, kind, interval) {
  if (!kinds.has(kind)) throw new Error(kind);
  let s = table.get(client);
  if (!s) table.set(client, (s = { total: 0, n: 0, sum: 0, squares: 0 }));
  s.total++;
  if (interval !== null) {
    s.n++;
    s.sum += interval;
    s.squares += interval * interval;
  }
  records++;
}

function parse(buf, from, to) {
  for (const line of buf.latin1Slice(from, to).split("\n")) {
    if (line === "") continue;
    const e = JSON.parse(line);
    if (Number.isNaN(Date.parse(e.timestamp))) throw new Error(line);
    add(e.client_ip, e.event_type, e.retry_interval_ms ?? null);
  }
}

// {"timestamp":"2026-10-25T10:00:00Z","client_ip":"…","event_type":"retry","retry_interval_ms":123}
let minute = -1;
function scan(buf, from, to) {
  const quote = 34;
  for (let i = from; i < to; ) {
    i += 14; // {"timestamp":"
    const m = (buf[i + 11] - 48) * 600 + (buf[i + 12] - 48) * 60 + (buf[i + 14] - 48) * 10 + buf[i + 15] - 48;
    if (m !== minute) {
      if (!(m >= 0 && m < 1440) || buf[i + 4] !== 45 || buf[i + 10] !== 84) throw new Error("time");
      minute = m;
    }
    i += 35; // 2026-10-25T10:00:00Z","client_ip":"
    const start = i;
    let hash = 0;
    for (let c = buf[i]; c !== quote; c = buf[++i]) hash = (Math.imul(hash, 31) + c) | 0;
    const client = find(buf, start, i, hash);
    i += 16; // ","event_type":"
    const kind = buf[i];
    i += kind === 114 ? 5 : kind === 99 ? 7 : kind === 100 ? 10 : bad();
    client.total++;
    records++;
    if (buf[i + 1] === 44) {
      i += 22; // ","retry_interval_ms":
      let x = 0;
      for (let c = buf[i]; c >= 48; c = buf[++i]) {
        if (c > 57) break;
        x = x * 10 + c - 48;
      }
      client.n++;
      client.sum += x;
      client.squares += x * x;
      i += 2;
    } else i += 3;
  }
}

function bad() {
  throw new Error("event");
}

let slots = new Array(1 << 15).fill(null);
let used = 0;
function find(buf, from, to, hash) {
  const mask = slots.length - 1;
  for (let h = (hash ^ (hash >>> 15)) & mask; ; h = (h + 1) & mask) {
    const s = slots[h];
    if (s === null) {
      const text = buf.latin1Slice(from, to);
      const made = (slots[h] = { hash, text, total: 0, n: 0, sum: 0, squares: 0 });
      table.set(text, made);
      if (++used * 2 > slots.length) grow();
      return made;
    }
    if (s.hash === hash && s.text.length === to - from && same(s.text, buf, from)) return s;
  }
}

function same(text, buf, from) {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== buf[from + i]) return false;
  return true;
}

function grow() {
  const old = slots;
  slots = new Array(old.length * 2).fill(null);
  const mask = slots.length - 1;
  for (const s of old) {
    if (s === null) continue;
    let h = (s.hash ^ (s.hash >>> 15)) & mask;
    while (slots[h] !== null) h = (h + 1) & mask;
    slots[h] = s;
  }
}

const file = openSync(path);
const buf = Buffer.allocUnsafe(4 << 20);
const work = { parse, scan }[way];
for (let kept = 0; ; ) {
  const n = readSync(file, buf, kept, buf.length - kept, null);
  const have = kept + n;
  const cut = n === 0 ? have : buf.lastIndexOf(10, have - 1) + 1;
  work(buf, 0, cut);
  if (n === 0) break;
  buf.copyWithin(0, cut, have);
  kept = have - cut;
}
let jittery = 0;
for (const { n, sum, squares } of table.values()) if (n === 0 || (n > 1 && !(sum > 0 && 400 * (n * squares - sum * sum) < sum * sum))) jittery++;
const { user, system } = process.cpuUsage(began);
console.log(JSON.stringify({ version: "Node " + process.version, cpu: (user + system) / 1e6, records, clients: table.size, jittery }));
