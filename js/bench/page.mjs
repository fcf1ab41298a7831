// What the page costs: first paint, reading a large file against Blob.stream() alone, memory, the table, and panning.
//
//   node js/bench/page.mjs FILE [CLIENTS-FILE [ROUNDS]]     FILE: NDJSON of about 1 GB, - to leave it out; CLIENTS-FILE: with 1 M clients
//
// Memory is the proportional share (Pss) of all the browser's processes, summed.
import { readdirSync, readFileSync, statSync } from "node:fs";

import { stage } from "../test/page/stage.mjs";

const [large, many, rounds = "2"] = process.argv.slice(2);
if (!large) {
  console.error("usage: node js/bench/page.mjs FILE [CLIENTS-FILE [ROUNDS]]");
  process.exit(2);
}
const s = await stage();
const ms = (v) => `${Math.round(v)} ms`;
const MB = (n) => `${(n / 1e6).toFixed(0)} MB`;

// First paint, of a page that was never seen.
const paints = [];
for (let i = 0; i < 3; i++) {
  const v = await s.open();
  paints.push(await v.page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  await v.leave();
}
console.log(`first paint: ${paints.map(ms).join(", ")}`);

const v = await s.open();
const p = v.page;
if (large !== "-") await reading();
if (many) await clients();
await v.leave();
await s.end();

async function reading() {
  const size = statSync(large).size;
  await p.evaluate(() => document.body.insertAdjacentElement("beforeend", Object.assign(document.createElement("input"), { type: "file", id: "alone" })));
  await p.setInputFiles("#alone", large);
  for (let round = 0; round < Number(rounds); round++) {
    const alone = await p.evaluate(async () => {
      const began = performance.now();
      for (const r = document.querySelector("#alone").files[0].stream().getReader(); !(await r.read()).done; );
      return performance.now() - began;
    });
    const base = memory();
    const { took, most, marks } = await read(large);
    console.log(`${MB(size)}: Blob.stream() alone ${ms(alone)}, analysed in ${ms(took)} (${(took / alone).toFixed(2)}x, ${MB(size / (took / 1000))}/s)`);
    console.log(`memory: ${MB(base)} before, ${marks.join(", ")}; ${MB(most)} at most, ${MB(memory())} with the report`);
    if (round < Number(rounds) - 1) await again();
  }
  await pan("the large file");
  await again();
  await p.waitForTimeout(1000);
  console.log(`memory when the report is closed: ${MB(memory())}`);
}

// Reads a file in the page, and weighs the browser at every tenth of it.
async function read(path) {
  const marks = [];
  let most = 0;
  let next = 0;
  let done = false;
  const began = Date.now();
  await p.setInputFiles(".drop input[type=file]", path);
  const watch = (async () => {
    while (!done) {
      const share = await p.evaluate(() => document.querySelector("progress")?.position ?? 0).catch(() => 0);
      const now = memory();
      most = Math.max(most, now);
      if (share >= next) {
        marks.push(`${MB(now)} at ${Math.round(share * 100)} %`);
        next = share + 0.1;
      }
      await new Promise((go) => setTimeout(go, 300));
    }
  })();
  await p.waitForSelector(".report h1", { timeout: 900_000 });
  const took = Date.now() - began;
  done = true;
  await watch;
  return { took, most, marks };
}

async function clients() {
  const base = memory();
  const { took, most, marks } = await read(many);
  console.log(`${MB(statSync(many).size)} of many clients: the story after ${ms(took)}; memory ${MB(base)} before, ${marks.join(", ")}; ${MB(most)} at most`);
  const began = Date.now();
  await p.waitForSelector(".rows tbody tr td", { timeout: 600_000 });
  console.log(`the table ${ms(Date.now() - began)} later`);
  await p.waitForTimeout(1000);
  console.log(`${await p.locator(".clients [role=status]").innerText()}; memory ${MB(memory())}`);
  await p.locator(".rows").scrollIntoViewIfNeeded();
  console.log(`scrolling the table: ${await frames("scroll")}`);
  for (const column of ["attempts", "client"]) {
    const began = Date.now();
    await p.click(`.rows thead .c-${column} button`);
    await p.waitForFunction(() => !document.querySelector(".rows table").hasAttribute("aria-busy"), undefined, { timeout: 120_000 });
    console.log(`sorted by ${column} in ${ms(Date.now() - began)}`);
  }
  const typed = Date.now();
  await p.fill("#filter", "10.1.2.");
  await p.waitForTimeout(300);
  await p.waitForFunction(() => !document.querySelector(".rows table").hasAttribute("aria-busy"), undefined, { timeout: 120_000 });
  console.log(`filtered in ${ms(Date.now() - typed - 300)}: ${await p.locator(".clients [role=status]").innerText()}`);
  await pan("1 M clients");
}

async function again() {
  await p.click(".bar button");
  await p.waitForSelector(".drop");
}

async function pan(what) {
  await p.locator(".stage").scrollIntoViewIfNeeded();
  await p.focus(".stage");
  for (let i = 0; i < 12; i++) await p.keyboard.press("+");
  await p.waitForTimeout(1500);
  console.log(`panning ${what}: ${await frames("pan")}; ${await p.locator(".summary").innerText()}`);
}

// Does something in every frame for four seconds: scrolls the table, or pans the picture.
function frames(kind) {
  return p.evaluate(async (kind) => {
    const times = [];
    let last = performance.now();
    const end = last + 4000;
    while (last < end) {
      await new Promise((next) => requestAnimationFrame(next));
      const now = performance.now();
      times.push(now - last);
      last = now;
      if (kind === "scroll") document.querySelector(".rows").scrollTop += 2000;
      else document.querySelector(".stage").dispatchEvent(new KeyboardEvent("keydown", { key: Math.floor(now / 2000) % 2 ? "ArrowLeft" : "ArrowRight" }));
    }
    times.sort((a, b) => a - b);
    const at = (q) => times[Math.floor(times.length * q)].toFixed(1);
    return `${(times.length / 4).toFixed(0)} frames a second, half within ${at(0.5)} ms, 95 % within ${at(0.95)} ms, the longest ${times.at(-1).toFixed(0)} ms`;
  }, kind);
}

// Resident bytes of the browser's processes that were started here.
function memory() {
  const children = new Map();
  for (const pid of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))[1];
      children.set(parent, [...(children.get(parent) ?? []), pid]);
    } catch {
      // gone meanwhile
    }
  }
  let sum = 0;
  const walk = (pid) => {
    for (const c of children.get(pid) ?? []) {
      try {
        sum += Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${c}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1024;
      } catch {
        // gone meanwhile
      }
      walk(c);
    }
  };
  walk(String(process.pid));
  return sum;
}
