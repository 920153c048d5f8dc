/** Launches of one profile that wait for a slot together, and callers and runs that leave: nobody cancels another's wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../actors/kernel/log.ts";
import { Launches, type LaunchesParts, type LaunchInput } from "../../actors/pool/launches.ts";
import { Slots } from "../../actors/pool/slot-queue.ts";
import type { ProfileThread, Spares } from "../../actors/pool/spares.ts";
import { createRandom } from "../seeded-random.ts";

const pass = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A thread whose browser starts at once, and ends when it is stopped. */
function openThread(stopping: () => Promise<void> = async () => {}): ProfileThread {
  let hear = (_notice: object) => {};
  let exit = (_code: number) => {};
  const exited = new Promise<number>((resolve) => {
    exit = resolve;
  });
  const end = async () => {
    hear({ notice: "browser-ended", status: "stopped", reason: "it was stopped" });
    exit(0);
    return null;
  };
  const api = {
    async launch() {
      await pass();
      return { cdpUrl: "http://127.0.0.1:9", pid: 1, headless: true, diagnostic: false, exit: null };
    },
    stop: () => stopping().then(end),
    touch: async () => null,
    freezePages: async () => null,
  };
  const thread: unknown = {
    api,
    exited,
    listen(listener: typeof hear) {
      hear = listener;
    },
    terminate: async () => {
      await end();
      return true;
    },
  };
  return thread as ProfileThread; // Launches uses no more of it.
}

function openLaunches(max = 1, stopping?: () => Promise<void>) {
  const slots = new Slots(max);
  const spares: unknown = {
    take: () => openThread(stopping),
    takenStarted: pass,
    refill() {},
    giveBack() {},
  };
  const parts: LaunchesParts = {
    slots,
    atOnce: 8,
    spares: spares as Spares,
    quiet: null,
    processes: { isAlive: () => false, killGroup() {} },
    log: createLog("test", () => {}),
    changed() {},
    note() {},
    handoffEnds() {},
  };
  return { launches: new Launches(parts), slots };
}

const profileId = "11111111-1111-4111-8111-111111111111";
const read = async () => ({}) as Awaited<ReturnType<LaunchInput["read"]>>;

/** Of one of the two, with its caller's patience: how it ended, and whether it was taken back. */
async function together(seed: number) {
  const random = createRandom(seed);
  const maybe = async () => {
    for (let turns = Math.floor(random() * 8); turns > 0; turns -= 1) await pass();
  };
  const { launches, slots } = openLaunches();
  slots.take("another profile");
  const wishes: LaunchInput[] = [
    { profileId, wait: true, ticket: "run", read },
    { profileId, wait: false, join: true, waitMs: 600_000, owner: "token", ticket: "caller", read },
  ];
  const left = random() < 0.5 ? "run" : "caller";
  const ends: Record<string, string> = {};
  const ask = async (wish: LaunchInput) => {
    await maybe();
    const asked = launches.launch(wish);
    const seen = asked.then(
      () => "runs",
      (error: Error) => error.message,
    );
    if (wish.ticket === left) {
      await maybe();
      await launches.cancelWait(profileId, left);
    }
    ends[wish.ticket ?? ""] = await seen;
  };
  const free = async () => {
    await maybe();
    slots.free("another profile");
  };
  await Promise.all([...(random() < 0.5 ? wishes : wishes.reverse()).map(ask), free()]);
  const stayed = left === "run" ? ends.caller : ends.run;
  const running = launches.live().map(({ status }) => status);
  await launches.stopAll();
  return { left, went: ends[left] ?? "", stayed, running, open: [slots.active, slots.queued] };
}

test("a run that gives up, or a caller that goes, leaves the other's wait for the same profile alone", async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 400; seed += 1) {
    const { left, went, stayed, running, open } = await together(seed);
    const which = `seed ${seed}: the ${left} left (${went})`;
    assert.equal(stayed, "runs", which);
    assert.match(went, /^runs$|no longer waits|was stopped while it started/, which);
    assert.deepEqual([running, open], [["running"], [0, 0]], which);
    seen.add(`${left} ${went === "runs" ? "too late" : "left"}`);
  }
  assert.equal(seen.size, 4, [...seen].join(", "));
});

test("a caller that goes while its profile's last browser still ends gets none", async () => {
  const { launches, slots } = openLaunches();
  await launches.launch({ profileId, wait: false, read });
  const stopped = launches.stop(profileId);
  const again = launches.launch({ profileId, wait: false, waitMs: 600_000, ticket: "caller", read });
  await launches.cancelWait(profileId, "caller");
  await assert.rejects(again, /no longer waits/);
  await stopped;
  assert.deepEqual([slots.active, slots.queued, launches.live()], [0, 0, []]);
});

test("a profile in the trash waits for nobody: without a ticket every wait is cancelled", async () => {
  const { launches, slots } = openLaunches();
  slots.take("another profile");
  const waits = [
    launches.launch({ profileId, wait: false, waitMs: 600_000, ticket: "caller", read }),
    launches.launch({ profileId, wait: true, ticket: "run", read }),
  ];
  const refused = waits.map((wait) => assert.rejects(wait, /no longer waits/));
  await launches.cancelWait(profileId);
  await Promise.all(refused);
  assert.deepEqual([slots.active, slots.queued], [1, 0]);
});

const quick = { profileId, wait: false, read };
const forCall = (ticket: string) => ({ ...quick, join: true, moment: true, ticket });

test("a browser that is open for one call is not joined: launches, clients, runs and other calls wait, and get their own", async () => {
  for (const next of [quick, { ...quick, join: true }, { ...quick, wait: true }, forCall("second")]) {
    const { launches } = openLaunches();
    await launches.launch(forCall("first"));
    const launched = launches.launch(next);
    await pass();
    await launches.stop(profileId, "first");
    assert.equal((await launched).joined, undefined);
    await launches.stop(profileId, "first");
    assert.equal(launches.live()[0]?.status, "running", "the next browser is not stopped by the call before");
    await launches.stopAll();
  }
});

test("a call joins a browser that runs or starts, and a stop of the user ends both", async () => {
  const { launches } = openLaunches();
  const [, joined] = await Promise.all([launches.launch(quick), launches.launch(forCall("call"))]);
  assert.equal(joined.joined, true);
  await launches.stop(profileId, "call");
  assert.equal(launches.live()[0]?.status, "running");
  await launches.stop(profileId);
  assert.deepEqual(launches.live(), []);
  await launches.launch(forCall("call"));
  await launches.stop(profileId);
  assert.deepEqual(launches.live(), []);
});

test("a launch that waits for the end of a call can be taken back", async () => {
  const { launches } = openLaunches();
  await launches.launch(forCall("call"));
  const waiting = launches.launch({ ...quick, join: true, ticket: "client" });
  await pass();
  await launches.cancelWait(profileId, "client");
  await assert.rejects(waiting, /no longer waits/);
  await launches.stopAll();
});

test("a stop ends the launches of clients that wait for the same browser too; calls and runs get their own", async () => {
  for (const first of [{ ...quick, join: true }, forCall("call")]) {
    const { launches } = openLaunches();
    const opening = launches.launch(first);
    const client = launches.launch({ ...quick, join: true, ticket: "client" });
    const ended = Promise.allSettled([opening, client]);
    await pass();
    await launches.stop(profileId);
    await assert.rejects(client, /was stopped while it started/);
    await ended;
    assert.deepEqual(launches.live(), []);
  }
  for (const next of [forCall("call"), { ...quick, wait: true }]) {
    const { launches } = openLaunches();
    const ended = Promise.allSettled([launches.launch(quick)]);
    const launched = launches.launch(next);
    await pass();
    await launches.stop(profileId);
    await launched;
    await ended;
    assert.equal(launches.live()[0]?.status, "running");
    await launches.stopAll();
  }
});

test("a stop ends a launch that waits for a slot, and the clients that wait with it; a run waits on", async () => {
  const { launches, slots } = openLaunches();
  slots.take("another profile");
  const waiting = { ...quick, waitMs: 600_000 };
  const asked = [launches.launch(waiting), launches.launch({ ...waiting, join: true, ticket: "client" })];
  const own = launches.launch({ ...quick, wait: true, ticket: "run" });
  const refused = asked.map((one) => assert.rejects(one, /was stopped while it/));
  await pass();
  assert.equal(slots.queued, 1);
  await launches.stop(profileId, "another launch");
  assert.equal(slots.queued, 1);
  await launches.stop(profileId);
  await Promise.all(refused);
  await pass();
  assert.equal(slots.queued, 1, "the run has taken its own place in the queue");
  await launches.stop(profileId);
  slots.free("another profile");
  await own;
  assert.equal(launches.live()[0]?.status, "running");
  await launches.stopAll();
});

test("a stop ends a launch that waits for the profile's last browser to end; one call's goes on", async () => {
  const { launches, slots } = openLaunches();
  await launches.launch(quick);
  const stopped = launches.stop(profileId);
  const refused = assert.rejects(
    launches.launch({ ...quick, waitMs: 600_000 }),
    /was stopped while its launch waited/,
  );
  await Promise.all([stopped, launches.stop(profileId), refused]);
  assert.deepEqual([slots.active, launches.live()], [0, []]);
  await launches.launch(quick);
  const again = launches.stop(profileId);
  const call = launches.launch(forCall("call"));
  await Promise.all([again, launches.stop(profileId), call]);
  assert.equal(slots.active, 1);
  await launches.stop(profileId, "call");
});

test("browsers stop a few at a time, so that each has the processor to write its data in time", async () => {
  const goOn: (() => void)[] = [];
  const stopping = () => new Promise<void>((resolve) => void goOn.push(resolve));
  const { launches, slots } = openLaunches(5, stopping);
  const ids = Array.from({ length: 5 }, (_, at) => `${at}1111111-1111-4111-8111-111111111111`);
  for (const id of ids) await launches.launch({ profileId: id, wait: false, read });
  const all = launches.stopAll();
  for (const begun of [2, 3, 4, 5, 5]) {
    await pass();
    await pass();
    assert.equal(goOn.length, begun);
    const waiting = begun < 5 ? begun - 2 : goOn.length - 2;
    goOn[waiting]?.();
  }
  for (const end of goOn) end();
  await all;
  assert.deepEqual([slots.active, launches.live()], [0, []]);
});
