/** `kill -9` at random moments during writes, over a disk that loses what was not synced. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createRandom } from "../seeded-random.ts";
import { buildHost, Host, type Opening } from "./crash-client.ts";
import type { Betrayal } from "./crash-disk.ts";
import { CrashModel } from "./crash-model.ts";
import { writeUntilKilled } from "./crash-writers.ts";

const openMsMax = 1_000;
let dir = "";
let bundle = "";

before(async () => {
  dir = mkdtempSync(join(tmpdir(), "troupe-crash-"));
  bundle = await buildHost();
});
after(() => rmSync(dir, { recursive: true, force: true }));

interface Outcome {
  answers: number;
  openings: Opening[];
}

async function killRounds(name: string, rounds: number, seed: number, betrayal: Betrayal): Promise<Outcome> {
  const dataDir = join(dir, name);
  const random = createRandom(seed);
  const model = new CrashModel();
  const openings: Opening[] = [];
  for (let round = 0; round <= rounds; round++) {
    const host = await Host.start(bundle, dataDir, betrayal);
    openings.push(host.opening);
    const faults: string[] = [];
    try {
      await model.check(host);
      if (round < rounds) {
        const writing = writeUntilKilled(host, model, random, round, faults);
        await new Promise((resolve) => setTimeout(resolve, 5 + random() * 90));
        await host.kill();
        await writing;
      }
    } finally {
      await host.kill();
    }
    assert.deepEqual(faults, []);
  }
  return { answers: model.answers, openings };
}

test("fifty kills lose no answered write, and each start takes less than a second", async (t) => {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`CRASH_SEED=${seed}`);
  try {
    const { answers, openings } = await killRounds("kept", 50, seed, "none");
    const slowestMs = (clock: keyof Opening) => Math.max(...openings.map((opening) => opening[clock]));
    t.diagnostic(
      `${answers} answered writes, slowest opening ${slowestMs("wallMs").toFixed(0)} ms, ${slowestMs("cpuMs").toFixed(0)} ms of CPU time`,
    );
    assert.ok(answers > 100, `only ${answers} writes were answered`);
    // CPU time, because other tests may run at the same time.
    assert.ok(slowestMs("cpuMs") < openMsMax, `an opening took ${slowestMs("cpuMs")} ms of CPU time`);
  } catch (error) {
    throw new Error(`with CRASH_SEED=${seed}: ${String(error)}`, { cause: error });
  }
});

const lost = /answered|was answered|damaged|does not exist|the count of|the source of/;

test("the same rounds fail when writes are answered before they are synced", async () => {
  await assert.rejects(killRounds("unsynced", 10, 1, "answers-before-sync"), lost);
});

test("the same rounds fail when journals are not replayed", async () => {
  await assert.rejects(killRounds("forgetful", 10, 1, "forgets-journals"), lost);
});
