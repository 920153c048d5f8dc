/** A launch that hangs in a system call ends, frees its slot and delays no stop, although its thread cannot be ended. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, mock, test } from "node:test";
import { createLog } from "../../actors/kernel/log.ts";
import { startThread } from "../../actors/kernel/thread.ts";
import { createPool } from "../../actors/pool/actor.ts";
import type { ProfileThread, Spares } from "../../actors/pool/spares.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { ProfileControlApi } from "../../protocol/messages/profile.ts";
import { libraryIn } from "../browser/fixture/pool.ts";
import { bundled } from "../bundled.ts";

const entry = await bundled(new URL("./stuck-thread.ts", import.meta.url));
const profileId = "7f0d2f4e-52f0-4b3c-9a37-000000000001";
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let dir: string;
let pool: PoolApi;
let pipe: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  pipe = join(dir, profileId);
  execFileSync("mkfifo", [pipe]);
  pool = createPool(
    config(),
    createLog("test", () => {}),
    libraryIn(dir),
    { makeSpares: stuckSpares },
  );
});
afterEach(async () => {
  mock.timers.reset();
  closeSync(openSync(pipe, "r+")); // Unblocks the thread, which then ends. Opened to write only, it would wait for a reader.
  await rm(dir, { recursive: true, force: true });
});

const config = () => ({
  max: 1,
  browserBytes: 1,
  weightsFile: join(dir, "weights.json"),
  spares: 0,
  engine: {
    chromiumPath: "/nowhere",
    tempDir: join(dir, "tmp"),
    hasDisplay: false,
    launchesAtOnce: 2,
  },
});

function stuckSpares(): Spares {
  const log = createLog("test", () => {});
  const take = (): ProfileThread => {
    const thread = startThread<ProfileControlApi>("profile", config(), { log, entry });
    return { ...thread, listen: () => {} };
  };
  return {
    take,
    takenStarted: async () => {},
    idle: () => null,
    giveBack: () => {},
    refill: () => {},
    close: async () => {},
  };
}

/** Starts a launch that hangs. `error` is its failure; timers are mocked. */
async function hangingLaunch(): Promise<{ error(): string }> {
  mock.timers.enable({ apis: ["setTimeout"] });
  const options = { headless: true, diagnostic: false, idleTimeoutSecs: 0 };
  const given = { profileId, options, wait: false, warmRunner: null };
  let error = "";
  pool.launch(given).catch((fault: Error) => {
    error = fault.message;
  });
  while (!existsSync(`${pipe}.begun`)) await turn();
  return { error: () => error };
}

async function passUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let secs = 0; secs < 300; secs += 1) {
    for (let turns = 0; turns < 5; turns += 1) await turn();
    if (await holds()) return;
    mock.timers.tick(1_000);
  }
  assert.fail("not within five minutes");
}

test("the thread no longer answers: the launch fails and the slot is free", async () => {
  const launch = await hangingLaunch();
  assert.equal((await pool.capacity({})).active, 1);
  await passUntil(() => launch.error() !== "");
  assert.match(launch.error(), /did not answer within/);
  assert.equal((await pool.capacity({})).active, 0);
});

test("a stop of the profile ends, and so does closing the pool", async () => {
  const launch = await hangingLaunch();
  let closed = 0;
  for (const end of [pool.stop({ profileId }), pool.close({})])
    end.then(
      () => (closed += 1),
      () => {},
    );
  await passUntil(() => closed === 2);
  assert.notEqual(launch.error(), "");
});
