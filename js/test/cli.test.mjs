// The package's command against the Go command line: the same list of cases, the same goldens, byte for byte; where an
// answer grows with the core and has no golden, the same bytes as bin/stormlint.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { run } from "../dist/command.js";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const go = join(top, "bin/stormlint");
const beside = join(top, "host/cmd/stormlint");
const command = join(top, "js/dist/cli.js");
const cases = JSON.parse(readFileSync(join(beside, "testdata/cases.json"), "utf8"));
const home = process.cwd();
let folder;

before(() => {
  if (!existsSync(go)) execFileSync(join(top, "build.sh"), ["run", "version"]);
  process.chdir((folder = mkdtempSync(join(tmpdir(), "stormlint-"))));
});
after(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

/** Runs the command in this process. */
async function ask(args, stdin = "") {
  const out = [];
  let errors = "";
  const code = await run({
    args,
    stdin: stdin === null ? undefined : (async function* () { if (stdin.length) yield Buffer.from(stdin); })(),
    stdout: (bytes) => void out.push(bytes.slice()),
    stderr: (text) => void (errors += text),
    width: 0, color: false, screen: false,
  });
  return { code, stdout: Buffer.concat(out).toString(), stderr: errors };
}

const native = (args, input = "") => {
  const { status, stdout, stderr } = spawnSync(go, args, { input, encoding: "utf8", maxBuffer: 1 << 28 });
  return { code: status, stdout, stderr };
};

const golden = (name) => (existsSync(join(beside, "testdata", name)) ? readFileSync(join(beside, "testdata", name), "utf8") : "");

for (const c of cases)
  test(c.name, async (t) => {
    if (c.here) {
      process.chdir(beside);
      t.after(() => process.chdir(folder));
    }
    for (const [name, text] of Object.entries(c.files ?? {})) {
      mkdirSync(dirname(name), { recursive: true });
      writeFileSync(name, text);
    }
    const stdin = c.stdin_file ? readFileSync(join(beside, c.stdin_file)).subarray(0, c.stdin_bytes) : (c.stdin ?? "");
    const got = await ask(c.args, stdin);
    const want = c.has ? native(c.args, stdin) : { code: c.code ?? 0, stdout: golden(`${c.name}.stdout`), stderr: golden(`${c.name}.stderr`) };
    assert.equal(got.stderr, want.stderr);
    assert.equal(got.stdout, want.stdout);
    assert.equal(got.code, c.code ?? 0);
    for (const piece of c.has ?? []) assert.ok((got.stdout + got.stderr).includes(piece), `no ${piece}`);
  });

test("however the input arrives, the report is the Go command line's", async () => {
  const sample = readFileSync(join(beside, "sample.ndjson"));
  const half = sample.lastIndexOf(10, 100_000) + 1;
  for (const [name, data] of Object.entries({
    "whole.zst": readFileSync(join(top, "js/test/sample.ndjson.zst")), "two.gz": Buffer.concat([gzipSync(sample.subarray(0, half)), gzipSync(sample.subarray(half))]), // two members
    "part.log.1": sample.subarray(0, half), "part.log": sample.subarray(half),
    "skipped.zst": Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7]), readFileSync(join(top, "js/test/sample.ndjson.zst"))]),
    "cut.gz": gzipSync(sample).subarray(0, -2000), "damaged.gz": gzipSync(sample).fill(7, 9000, 9100),
  })) writeFileSync(name, data);
  symlinkSync("two.gz", "again.gz");
  for (const args of [["two.gz"], ["--input", "two.gz"], ["part.log", "part.log.1"], ["whole.zst"], ["-"], ["--compat", "cut.gz"], ["--events", "part.log.1", "part.log"], ["--tz", "America/Sao_Paulo", "two.gz"], ["--group-by", "ua", "--all", "two.gz"]]) {
    const line = ["analyze", "-o", "json", ...args];
    const [got, want] = [await ask(line, sample), native(line, sample)];
    assert.deepEqual({ ...got, stdout: got.stdout === want.stdout }, { ...want, stdout: true }, line.join(" "));
  }
  for (const args of [["part.log", "./part.log"], ["two.gz", "again.gz"], ["skipped.zst"]]) {
    const [got, want] = [await ask(["analyze", "-o", "json", ...args]), native(["analyze", "-o", "json", ...args])];
    assert.deepEqual({ ...got, stdout: got.stdout === want.stdout }, { ...want, stdout: true }, args.join(" "));
    assert.equal(got.code, args.length === 1 ? 0 : 2, args.join(" "));
  }
  // How much comes out of cut data is its decompressor's affair.
  const [cut, wanted] = [await ask(["analyze", "cut.gz"]), native(["analyze", "cut.gz"])];
  assert.deepEqual([cut.code, cut.stderr, cut.stdout.split("\n")[1]], [0, wanted.stderr, wanted.stdout.split("\n")[1]]);
  const damaged = await ask(["analyze", "damaged.gz"]);
  assert.match(damaged.stderr, /^stormlint: source: damaged\.gz: damaged gzip data near byte \d+(; what came before is analysed)?\n$/);
});

test("every verb explains itself, with examples", async () => {
  for (const verb of [[], ["analyze"], ["lint"], ["simulate"], ["recommend"], ["formats"], ["formats", "explain"], ["version"]])
    for (const flag of ["--help", "-h"]) {
      const { code, stdout, stderr } = await ask([...verb, flag]);
      assert.equal(code, 0);
      assert.equal(stderr, "");
      assert.match(stdout, /^Usage: stormlint /);
      assert.match(stdout, /Such as:\n\n {2}(npx )?stormlint /);
      assert.ok(stdout.split("\n").every((l) => l.length <= 120 || /^ {2}(npx )?stormlint /.test(l)), verb.join(" "));
    }
  assert.equal((await ask([])).stdout, (await ask(["--help"])).stdout);
});

test("what only the Go command line has is said", async () => {
  for (const verb of ["guard", "storm", "gateway", "page"]) {
    const { code, stderr } = await ask([verb, "--listen", "127.0.0.1:0"]);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`^stormlint: ${verb} is a command of the Go command line only`));
  }
  assert.match((await ask(["--engine", "native", "version"])).stderr, /--engine is native, expected wasm/);
  assert.match((await ask(["--engine", "steam", "version"])).stderr, /must be one of "native","wasm" but got "steam"/);
  assert.match((await ask(["analyze", "--sample", "--decoder", "std"])).stderr, /--decoder is std, expected own/);
});

test("nobody at a pipe: analyze names --sample, --compat shows it", async () => {
  const bare = (args) => ask(args, null);
  assert.match((await bare(["analyze"])).stderr, /no FILE and nothing on standard input, expected a log to read, or --sample/);
  const compat = await bare(["analyze", "--compat"]);
  assert.equal(compat.code, 0);
  assert.match(compat.stderr, /bundled sample/);
  assert.equal((await bare(["formats", "explain"])).code, 2);
});

test("--compat hides where clients stand in the table, as the Go command line does", async () => {
  const real = crypto.getRandomValues;
  let drawn = 0;
  crypto.getRandomValues = (a) => {
    if (a instanceof Uint32Array) drawn++; // the runtime draws bytes
    return real.call(crypto, a);
  };
  try {
    const { code } = await ask(["analyze", "--compat", "--sample", "--evaluated-at", "2026-01-01T00:00:00Z"]);
    assert.deepEqual({ code, drawn }, { code: 0, drawn: 1 });
  } finally {
    crypto.getRandomValues = real;
  }
});

test("the program itself: a pipe in, a pipe out, the exit code", () => {
  const node = (args, options) => spawnSync(process.execPath, [command, ...args], { encoding: "utf8", ...options });
  assert.match(node(["version"]).stdout, /^stormlint 0\.1\.0 \(abi 1, module built in, /);
  assert.equal(node(["--version"]).stdout, "stormlint 0.1.0\n");
  const input = readFileSync(join(beside, "sample.ndjson"));
  assert.match(node(["analyze", "-"], { input }).stdout, /64 clients made 1,289 attempts/);
  assert.equal(node(["lint", "-p", "fixed:1s"]).status, 1);
  const events = spawnSync("sh", ["-c", `"${process.execPath}" "${command}" analyze --sample --events | head -n 1`], { encoding: "utf8" });
  assert.equal(events.stderr, "");
  assert.equal(events.stdout.split("\n").length, 2);
});
