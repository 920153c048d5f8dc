/** Repeated launches and stops leave nothing behind: the short form of the bench suite `cycles`. */
import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createPool } from "../../actors/pool/actor.ts";
import { descriptorCount, type Holdings, holdingsOf } from "../../bench/leftovers.ts";
import { findChromium } from "../../gateway/machine.ts";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { serve, until } from "../gateway/serve.ts";
import { quietLog } from "./fixture/log.ts";
import { libraryIn } from "./fixture/pool.ts";

const profiles = 4;
const rounds = 6;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-endurance-"));
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));

test("24 launches and stops on 4 profiles leave no process, descriptor, thread, directory or lock", async (t) => {
  const served = await serve(dir, "--mint", "endurance", "--rate-limit", "0");
  t.after(() => served.end("SIGTERM"));
  let ids: string[] = [];
  /** Closes its connections, which would count as the service's sockets. */
  const cycles = async (count: number) => {
    const client = await createClient(served.apiUrl, served.token);
    try {
      if (ids.length === 0) ids = await createProfiles(client, profiles);
      for (let round = 0; round < count; round++) await Promise.all(ids.map((id) => cycle(client, id)));
    } finally {
      await client.close();
    }
  };
  await cycles(1); // Then directories and spare threads have reached their final number.
  const before = await atRest(served.pid, isStill());
  await cycles(rounds - 1);
  const after = await atRest(
    served.pid,
    (now) => descriptorCount(now) <= descriptorCount(before) && now.threads <= before.threads,
  );
  assert.deepEqual([after.processes, after.temporaries, after.locks], [0, [], []]);
  for (const [what, count] of Object.entries(after.descriptors))
    assert.ok(count <= (before.descriptors[what] ?? 0), `${what}: ${before.descriptors[what]} → ${count}`);
  assert.ok(after.threads <= before.threads, `${before.threads} → ${after.threads} threads`);
});

async function cycle(client: Client, id: string): Promise<void> {
  const launched = await client.post(`/v1/profiles/${id}/launch`, { headless: true });
  assert.equal(launched.status, 200, JSON.stringify(launched.body));
  assert.equal((await client.post(`/v1/profiles/${id}/stop`)).status, 204);
}

function isStill(): (now: Holdings) => boolean {
  let last = "";
  return (now) => {
    const before = last;
    last = JSON.stringify(now);
    return now.processes === 0 && last === before;
  };
}

/** The service's resources once `rested` is true, or after 3 s; the caller judges them. */
async function atRest(pid: number, rested: (now: Holdings) => boolean): Promise<Holdings> {
  let now = await holdingsOf(pid, dir);
  await until("the service is idle", async () => {
    now = await holdingsOf(pid, dir);
    return rested(now);
  }).catch(() => {});
  return now;
}

test("successful and failed launches and stops leave no timer in the pool", async (t) => {
  const timers = countTimers();
  t.after(() => timers.stop());
  const engine = {
    chromiumPath: findChromium(),
    tempDir: join(dir, "tmp"),
    hasDisplay: false,
    launchesAtOnce: 4,
  };
  const pool = createPool(
    { max: 2, browserBytes: 1, weightsFile: join(dir, "weights.json"), spares: 1, engine },
    quietLog,
    libraryIn(dir),
  );
  t.after(() => pool.close({}));
  const launch = (profileId: string) =>
    pool.launch({
      profileId,
      options: { diagnostic: false, headless: true, idleTimeoutSecs: 1_800 },
      wait: false,
      warmRunner: null,
    });
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  const both = [first, second];
  await launch(first);
  await pool.stop({ profileId: first });
  const before = timers.live();
  await Promise.all(both.map(launch));
  await assert.rejects(launch(first), { kind: "conflict" });
  await assert.rejects(launch(third), { kind: "conflict" });
  await Promise.all(both.map((profileId) => pool.stop({ profileId })));
  // The hook is called one turn after a timer's end, also for the timer of this wait.
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  await until("no timer is left", async () => {
    await turn();
    await turn();
    return timers.live() <= before;
  }).catch(() => {});
  assert.ok(timers.live() <= before, `${before} → ${timers.live()} timers`);
});

function countTimers() {
  const armed = new Set<number>();
  const hook = createHook({
    init(id, type) {
      if (type === "Timeout") armed.add(id);
    },
    destroy: (id) => void armed.delete(id),
  }).enable();
  return { live: () => armed.size, stop: () => hook.disable() };
}
