// What an environment says to a case of testdata/corpus/cases.json. The same code runs in Node and in the page; the Go
// twin is host/engine/corpus_test.go.

const newline = 10;
const utf8 = (text) => new TextEncoder().encode(text);
const line = (value) => utf8(JSON.stringify(value));

/** Everything that the module says to a case; Instance is a class of instances over one module. */
export async function answer(c, instance, read) {
  const out = [];
  const say = (bytes) => out.push(bytes);
  try {
    await ask(c, instance, read, say);
  } catch (e) {
    if (!e.code) throw e;
    say(utf8(`\nerror ${e.code} ${e.message}`));
  }
  return join(out);
}

async function ask(c, instance, read, say) {
  if (c.call) {
    say(instance.call(c.call, c.request ? line(c.request) : new Uint8Array()));
    return;
  }
  const streams = [];
  for (const [source, input] of c.inputs.entries()) {
    const text = await read(input);
    const options = c.options ?? {};
    let parts = [text];
    let plan;
    if (c.split > 1) {
      plan = JSON.parse(new TextDecoder().decode(instance.call("sniff", join([line(options), utf8("\n"), text]))));
      parts = split(text, plan, c.split);
    }
    for (const [index, part] of parts.entries()) {
      const name = input.replace(/.*\//, "");
      const h = instance.open(c.stream, line({ options, part: { source, index, name }, ...(plan ? { plan } : {}) }));
      streams.push(h);
      say(instance.feed(h, part));
    }
  }
  for (const h of streams.slice(1).reverse()) instance.merge(streams[0], instance.state(h));
  say(instance.finish(streams[0]));
  for (const [question, request] of c.ask ?? []) {
    const answer = instance.ask(question, streams[0], line(request));
    say(utf8("\n"));
    say(answer);
  }
}

function split(text, plan, n) {
  if (plan.framing !== "lines" || plan.joined) return [text];
  const parts = [];
  let from = 0;
  for (let i = 1; i < n; i++) {
    const end = text.indexOf(newline, Math.max(from, Math.floor((text.length * i) / n)));
    if (end < 0) break;
    parts.push(text.subarray(from, end + 1));
    from = end + 1;
  }
  parts.push(text.subarray(from));
  return parts;
}

function join(parts) {
  const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    whole.set(p, at);
    at += p.length;
  }
  return whole;
}

/** A line of a digest file. */
export async function digest(c, bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `${[...hash].map((b) => b.toString(16).padStart(2, "0")).join("")} ${bytes.length} ${c.name}\n`;
}
