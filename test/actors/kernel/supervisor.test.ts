/** Supervision: an actor that ends is restarted, its pending calls fail, and later calls reach it again. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import type { ThreadName } from "../../../actors/kernel/entries.ts";
import { createLog } from "../../../actors/kernel/log.ts";
import { createRemote } from "../../../actors/kernel/remote.ts";
import { type Supervisor, superviseActors } from "../../../actors/kernel/supervisor.ts";
import { startThread } from "../../../actors/kernel/thread.ts";
import type { PortLike } from "../../../actors/kernel/wire.ts";
import { bundled } from "../../bundled.ts";
import type { MortalApi } from "./mortal-actor.ts";

const entry = await bundled(new URL("./mortal-actor.ts", import.meta.url));
const lines: string[] = [];
const log = createLog("test", (line) => lines.push(line));

let supervisor: Supervisor;
const lives: Partial<Record<ThreadName, number>> = {};
const plan = (name: ThreadName, peers: ThreadName[], refuse = false) => ({
  name,
  peers,
  entry,
  config: () => {
    const life = (lives[name] ?? 0) + 1;
    lives[name] = life;
    return { life, refuse };
  },
});
before(async () => {
  supervisor = await superviseActors([plan("library", []), plan("runs", ["library"])], log);
});
after(async () => {
  await supervisor.end("runs");
  await supervisor.end("library");
});

const library = () => supervisor.api<MortalApi>("library");
const runs = () => supervisor.api<MortalApi>("runs");

test("actors call each other over their own ports", async () => {
  assert.deepEqual(await runs().askPeer({}), { life: 1 });
});

test("when an actor ends, its pending calls are rejected, it restarts, and later calls reach it", async () => {
  const pending = assert.rejects(library().wait({}), /the library thread ended; it is being restarted/);
  await assert.rejects(library().die({}), /the library thread ended/);
  await pending;
  assert.deepEqual(await library().life({}), { life: 2 });
  assert.match(lines.join(""), /the library thread ended; restarting it/);
});

test("its callers reach a restarted actor over a new port", async () => {
  assert.deepEqual(await runs().askPeer({}), { life: 2 });
  assert.equal(await runs().peerRestarts({}), 1);
});

test("a restarted actor reaches its own peers again", async () => {
  await assert.rejects(runs().die({}), /the runs thread ended/);
  assert.deepEqual(await runs().askPeer({}), { life: 2 });
  assert.deepEqual(await runs().life({}), { life: 2 });
});

test("an actor that cannot start rejects with its own fault and is not retried", async () => {
  await assert.rejects(superviseActors([plan("library", [], true)], log), /the test refuses the start/);
});

test("an actor that cannot restart is retried for ever at growing intervals, and calls are refused with the reason meanwhile", async () => {
  const clock = new ManualClock();
  let refuse = false;
  const troubled = { ...plan("library", []), config: () => ({ life: 1, refuse }) };
  const others = await superviseActors([troubled, plan("runs", ["library"])], log, clock);
  const calls = others.api<MortalApi>("library");
  refuse = true;
  await assert.rejects(calls.die({}), /the library thread ended/);
  const waits = [50, 100, 200];
  for (const ms of waits) {
    const tries = lines.length;
    await until(() => clock.pending === 1);
    await clock.advance(ms - 1);
    assert.equal(lines.length, tries);
    await clock.advance(1);
    await until(() => clock.pending === 1);
    await assert.rejects(calls.life({}), /the library thread does not start: the test refuses the start/);
  }
  await assert.rejects(
    others.api<MortalApi>("runs").askPeer({}),
    /does not start: the test refuses the start/,
  );
  refuse = false;
  await clock.advance(400);
  await until(async () => (await calls.life({}).catch(() => null)) !== null);
  assert.deepEqual(await others.api<MortalApi>("runs").askPeer({}), { life: 1 });
  for (const name of ["runs", "library"] as const) await others.end(name);
});

test("an actor that starts while its peer starts gets one port to it, so that no call is lost", async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const gated = { ...plan("library", []), config: () => ({ life: 1, refuse: false, gate }) };
  const others = await superviseActors([gated, plan("runs", ["library"])], log);
  const [peer, caller] = [others.api<MortalApi>("library"), others.api<MortalApi>("runs")];
  gate[0] = 1;
  await Promise.all([assert.rejects(peer.die({})), assert.rejects(caller.die({}))]);
  let outcome = "waits";
  caller.waitForPeer({}).catch((error: unknown) => {
    outcome = String(error);
  });
  await caller.life({}); // By now it has been requested.
  gate[0] = 0;
  Atomics.notify(gate, 0);
  await peer.life({});
  for (let asked = 0; asked < 5; asked += 1) await caller.askPeer({}).catch(() => {});
  assert.equal(outcome, "waits");
  for (const name of ["runs", "library"] as const) await others.end(name);
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("calls wait while a thread starts, on its own port and on a caller's", async () => {
  const thread = startThread<MortalApi>("library", { life: 1, refuse: false }, { log, entry });
  const caller = createRemote<MortalApi>("caller");
  caller.attach(thread.callerPort() as PortLike);
  assert.deepEqual(await Promise.all([thread.api.life({}), caller.api.life({})]), [{ life: 1 }, { life: 1 }]);
  await thread.terminate();
});

test("an unhandled rejection ends an actor, except one that owns a browser", async () => {
  const { life } = await library().life({});
  const pending = assert.rejects(library().wait({}), /the library thread ended/);
  await Promise.allSettled([library().float({})]); // The thread may end before its reply is sent.
  await pending;
  assert.notDeepEqual(await library().life({}), { life });
  const owner = startThread<MortalApi>("profile", { life: 1, refuse: false }, { log, entry });
  await owner.api.float({});
  assert.deepEqual(await owner.api.life({}), { life: 1 });
  await owner.terminate();
});

test("a terminated actor refuses calls at once", async () => {
  const other = await superviseActors([plan("library", [])], log);
  await other.end("library");
  await assert.rejects(other.api<MortalApi>("library").life({}), /the library thread ended/);
});
