// A host of the filter on Node's V8, the engine of Envoy's default runtime: as much of proxy-wasm's ABI 0.2.0 as the filter
// imports, by Envoy's rules. The twin of host/proxywasm; that the two agree is the test.
import { webcrypto } from "node:crypto";

const OK = 0, NOT_FOUND = 1, BAD = 2, CAS_MISMATCH = 8;
const text = new TextDecoder(), bytes = new TextEncoder();

// Process is what all VMs share.
export class Process {
  shared = new Map();
  last = 0;
  metrics = new Map();
  log = [];
  constructor(configuration, now) {
    this.configuration = bytes.encode(configuration);
    this.now = now; // () => ns as BigInt; undefined is the machine's clock
  }
  metric(name) {
    return this.metrics.get(name)?.value ?? 0n;
  }
}

// VM is one worker.
export class VM {
  #next = 1;
  constructor(module, process) {
    this.process = process;
    const instance = new WebAssembly.Instance(module, { env: this.#env(), wasi_snapshot_preview1: this.#wasi() });
    this.x = instance.exports;
    this.x._initialize();
    this.x.proxy_on_context_create(1, 0);
    if (!this.x.proxy_on_vm_start(1, 0)) throw new Error("vm_start");
    if (!this.x.proxy_on_configure(1, process.configuration.length)) throw new Error(process.log.at(-1) ?? "configure");
  }

  // request gives the status of the filter's own answer, or 0, and ends the request with an answer of 101.
  request(headers, peer) {
    const id = ++this.#next;
    this.headers = headers;
    this.peer = peer;
    this.local = 0;
    this.x.proxy_on_context_create(id, 1);
    this.x.proxy_on_request_headers(id, headers.length, 0);
    if (!this.local) this.x.proxy_on_response_headers(id, 1, 0);
    this.x.proxy_on_log?.(id); // a host calls what is exported
    this.x.proxy_on_done?.(id);
    this.x.proxy_on_delete(id);
    return this.local;
  }

  tick() {
    this.x.proxy_on_tick(1);
  }

  // Views are made anew each time: memory grows.
  get #view() {
    return new DataView(this.x.memory.buffer);
  }
  #read(at, n) {
    return new Uint8Array(this.x.memory.buffer, at >>> 0, n >>> 0);
  }
  #string(at, n) {
    return text.decode(this.#read(at, n));
  }
  #give(data, pointer, size) {
    const at = data.length ? this.x.proxy_on_memory_allocate(data.length) : 0;
    this.#read(at, data.length).set(data);
    this.#view.setUint32(pointer >>> 0, at, true);
    this.#view.setUint32(size >>> 0, data.length, true);
    return OK;
  }

  #env() {
    const p = this.process;
    const metric = (id, change) => {
      const m = [...p.metrics.values()][id];
      if (!m) return BAD;
      m.value = change(m.value);
      return OK;
    };
    return {
      proxy_log: (level, at, n) => (p.log.push(`${level} ${this.#string(at, n)}`), OK),
      proxy_set_tick_period_milliseconds: () => OK,
      proxy_set_effective_context: () => OK,
      proxy_get_buffer_bytes: (kind, from, n, at, size) => (kind === 7 ? this.#give(p.configuration.subarray(from, from + n), at, size) : NOT_FOUND),
      proxy_get_property: (path, n, at, size) => (this.#string(path, n) === "source\0address" ? this.#give(bytes.encode(this.peer), at, size) : NOT_FOUND),
      proxy_get_shared_data: (key, n, at, size, cas) => {
        const v = p.shared.get(this.#string(key, n));
        if (!v) return NOT_FOUND;
        this.#give(v.value, at, size);
        this.#view.setUint32(cas >>> 0, v.cas, true);
        return OK;
      },
      proxy_set_shared_data: (key, n, at, size, cas) => {
        const name = this.#string(key, n), old = p.shared.get(name);
        if (old && cas !== 0 && cas >>> 0 !== old.cas) return CAS_MISMATCH;
        p.shared.set(name, { value: this.#read(at, size).slice(), cas: (p.last = (p.last + 1) >>> 0 || 1) });
        return OK;
      },
      proxy_define_metric: (kind, at, n, id) => {
        const name = this.#string(at, n);
        if (!p.metrics.has(name)) p.metrics.set(name, { value: 0n });
        this.#view.setUint32(id >>> 0, [...p.metrics.keys()].indexOf(name), true);
        return OK;
      },
      proxy_increment_metric: (id, by) => metric(id, (v) => v + by),
      proxy_record_metric: (id, to) => metric(id, () => to),
      proxy_get_header_map_value: (kind, key, n, at, size) => {
        const name = this.#string(key, n);
        const list = kind === 2 ? [[":status", "101"]] : this.headers;
        const found = list.find(([k]) => k === name);
        return found ? this.#give(bytes.encode(found[1]), at, size) : NOT_FOUND;
      },
      proxy_get_header_map_pairs: (kind, at, size) => {
        const list = (kind === 2 ? [[":status", "101"]] : this.headers).flat().map((s) => bytes.encode(s));
        const b = new Uint8Array(4 + list.reduce((n, s) => n + 5 + s.length, 0)), v = new DataView(b.buffer);
        v.setUint32(0, list.length / 2, true);
        list.forEach((s, i) => v.setUint32(4 + 4 * i, s.length, true));
        let to = 4 + 4 * list.length;
        for (const s of list) b.set(s, to), (to += s.length + 1);
        return this.#give(b, at, size);
      },
      proxy_send_local_response: (status) => ((this.local = status), OK),
    };
  }

  #wasi() {
    const none = () => 0, absent = () => 8; // EBADF
    return {
      sched_yield: none,
      proc_exit: (code) => { throw new Error(`exit ${code}`); },
      args_get: none,
      environ_get: none,
      args_sizes_get: (a, b) => (this.#view.setUint32(a, 0, true), this.#view.setUint32(b, 0, true), 0),
      environ_sizes_get: (a, b) => (this.#view.setUint32(a, 0, true), this.#view.setUint32(b, 0, true), 0),
      clock_time_get: (id, precision, at) => {
        const now = this.process.now?.() ?? (id === 0 ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint());
        this.#view.setBigUint64(at >>> 0, now, true);
        return 0;
      },
      random_get: (at, n) => (webcrypto.getRandomValues(this.#read(at, n)), 0),
      fd_write: (fd, list, n, written) => {
        let all = 0;
        for (let i = 0; i < n; i++) {
          const at = this.#view.getUint32(list + 8 * i, true), size = this.#view.getUint32(list + 8 * i + 4, true);
          this.process.log.push(`fd${fd} ${this.#string(at, size)}`);
          all += size;
        }
        this.#view.setUint32(written, all, true);
        return 0;
      },
      poll_oneoff: () => { throw new Error("the filter sleeps"); },
      fd_close: absent,
      fd_fdstat_get: absent,
      fd_fdstat_set_flags: absent,
      fd_prestat_get: absent,
      fd_prestat_dir_name: absent,
    };
  }
}
