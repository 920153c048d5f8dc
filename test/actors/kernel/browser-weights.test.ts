/** What browsers weigh is measured while they run, and decides the pool's size at the next start. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { keepWeights, weightOf } from "../../../actors/kernel/browser-weights.ts";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import { createLog } from "../../../actors/kernel/log.ts";
import { processTrees, sharedMemory } from "../../../actors/kernel/process-load.ts";
import { browsersByMemory } from "../../../gateway/machine.ts";
import { until } from "../../gateway/serve.ts";

const mib = 2 ** 20;
const assumed = 250 * mib;

async function fileIn(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "troupe-weights-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return join(dir, "weights.json");
}

test("a browser is weighed when it has run for a minute, each in its turn", async (t) => {
  const file = await fileIn(t);
  const clock = new ManualClock();
  let running = [1, 2];
  const weighed: number[] = [];
  const weigh = async (pid: number) => {
    weighed.push(pid);
    return pid * 100 * mib;
  };
  const { close } = keepWeights({ file, pids: () => running, log: createLog("pool"), clock, weigh });
  await clock.advance(60_000);
  assert.deepEqual(weighed, []);
  running = [1, 2, 3];
  await clock.advance(120_000);
  assert.deepEqual(weighed, [1, 2]);
  await until(
    "both are kept",
    async () => (await readFile(file, "utf8").catch(() => "")) === JSON.stringify([100 * mib, 200 * mib]),
  );
  close();
  assert.equal(clock.pending, 0);
});

test("a pool is sized by the mean of the heavier half, after twenty measurements", async (t) => {
  const file = await fileIn(t);
  assert.equal(weightOf(file), assumed);
  const write = (bytes: unknown) => writeFile(file, JSON.stringify(bytes));
  await write(Array(19).fill(400 * mib));
  assert.equal(weightOf(file), assumed);
  await write([...Array(10).fill(100 * mib), ...Array(10).fill(200 * mib)]);
  assert.equal(weightOf(file), 200 * mib);
  assert.equal(browsersByMemory(weightOf(file), 3 * 1024 * mib), 10);
  await write(Array(20).fill(40 * mib));
  assert.equal(weightOf(file), 120 * mib);
  await writeFile(file, "[400");
  assert.equal(weightOf(file), assumed);
});

test("a process tree weighs what its processes take", async (t) => {
  const child = spawn(
    process.execPath,
    ["-e", "console.log(Buffer.alloc(3e7, 1).length); setInterval(() => {}, 1e6)"],
    {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  t.after(() => child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const leader = child.pid ?? 0;
  const tree = (await processTrees([leader]))?.get(leader) ?? [];
  const bytes = await sharedMemory(tree);
  assert.ok(bytes > 30e6, String(bytes));
});
