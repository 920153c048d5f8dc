/** Processes forked in advance behave like newly started ones, and end when they are not needed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { spawnBrowser } from "../../actors/profile/chromium/process.ts";
import { createForks, type StartProcess, startProcess } from "../../actors/profile/chromium/waiting.ts";
import { until } from "../gateway/serve.ts";

const waitingShells = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);

const awkward = ["two  words", "it's", 'a "quote"', "line\nbreak", "$HOME `id` \\", "*", "", "é…"];
const program = `
  const { argv, env, pid, cwd } = process;
  const group = require("fs").readFileSync("/proc/self/stat", "latin1").split(") ")[1].split(" ")[2];
  require("fs").writeSync(4, JSON.stringify({
    args: argv.slice(1), pid, cwd: cwd(), leads: group === String(pid),
    input: require("fs").readlinkSync("/proc/self/fd/0"), output: require("fs").readlinkSync("/proc/self/fd/1"),
    open: require("fs").readdirSync("/proc/self/fd").filter((fd) => Number(fd) <= 4).length,
    TZ: env.TZ, added: env.TROUPE_ADDED, removed: env.HOME, path: env.PATH,
  }));
  process.stderr.write("last words");
`;

async function sayingOf(start: StartProcess) {
  const env = { ...process.env, TZ: "Asia/Kathmandu", TROUPE_ADDED: awkward.join("|"), HOME: undefined };
  const child = start(process.execPath, ["-e", program, "--", ...awkward], env);
  const [said, words] = await Promise.all([
    text(child.stdio[4] as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "exit"),
  ]);
  const { pid, ...rest } = JSON.parse(said);
  assert.equal(pid, child.pid);
  return { ...rest, words, code: child.exitCode };
}

test("a process forked in advance becomes the program as if it were started for it", async () => {
  const forks = createForks();
  forks.ahead();
  const ahead = await sayingOf(forks.start);
  assert.deepEqual(ahead, await sayingOf(startProcess));
  assert.deepEqual(ahead.args, awkward);
  assert.equal(ahead.leads, true);
  assert.deepEqual(await sayingOf(forks.start), ahead, "the next process starts the same way");
});

test("a process that is not needed exits on request", async () => {
  const forks = createForks();
  forks.ahead();
  assert.equal(waitingShells().length, 1);
  await forks.end();
  assert.deepEqual(waitingShells(), []);
  await forks.end();
});

test("a killed process is replaced by a new one", async () => {
  const forks = createForks();
  forks.ahead();
  const [pid] = waitingShells();
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
  await until("its exit is noticed", () => !existsSync(`/proc/${pid}`));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await sayingOf(forks.start)).code, 0);
});

test("a program that cannot be started is reported, either way", async () => {
  const forks = createForks();
  forks.ahead();
  for (const start of [forks.start, startProcess]) {
    const browser = spawnBrowser({
      chromiumPath: "/nowhere/chromium",
      switches: [],
      env: process.env,
      start,
    });
    const { how } = await browser.ended;
    if (browser.pid !== 0) await browser.drained;
    assert.match(`${how} ${browser.lastWords()}`, /nowhere\/chromium/);
  }
});
