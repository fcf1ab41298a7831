#!/usr/bin/env node
import { run } from "./run.js";

const { stdin, stdout, stderr } = process;
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") stderr.write(`stormlint: writing the answer: ${error.message}\n`); // else the reader has seen enough
  process.exit(2);
});
process.exitCode = await run({
  args: process.argv.slice(2),
  stdin: stdin.isTTY ? undefined : stdin,
  stdout: (bytes) => new Promise((resolve) => void stdout.write(bytes, () => resolve())),
  stderr: (text) => void stderr.write(text),
  width: stdout.isTTY ? stdout.columns : 0,
  color: Boolean(stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb",
  screen: Boolean(stderr.isTTY),
});
