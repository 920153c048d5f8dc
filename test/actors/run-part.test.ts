/** One profile's part of a run: it returns the port to the profile's thread, and leaves no unused browser open. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { insist } from "../../actors/kernel/insist.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { runLanes } from "../../actors/runs/lanes.ts";
import { type Part, startPart } from "../../actors/runs/part.ts";
import { createTurns } from "../../actors/runs/profile-turns.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { LibraryApi, RunTask, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { LaunchedProfile } from "../../protocol/profile-spec.ts";

const profileId = "7f0d2f4e-52f0-4b3c-9a37-000000000001";

const contextOf = (pool: Partial<PoolApi>, library: Partial<LibraryApi>) => ({
  log: createLog("test", () => {}),
  clock: new ManualClock(),
  turns: createTurns(),
  pool: pool as PoolApi,
  library: library as LibraryApi,
  ownPorts: () => [],
});

test("the port to a profile that keeps running is closed after its part, however it ended", async () => {
  for (const answered of [true, false]) {
    const { port1, port2 } = new MessageChannel();
    const closed = new Promise<void>((resolve) => port1.once("close", resolve));
    port1.on("message", ({ call }) => {
      const outcome = {
        status: "completed",
        error: null,
        result: null,
        output: [],
        log: [],
        files: [],
        isolation: null,
      };
      const error = { code: -32000, message: "no", data: { kind: "conflict", message: "no" } };
      const reply = { jsonrpc: "2.0", id: call.id, ...(answered ? { result: outcome } : { error }) };
      port1.postMessage({ reply });
    });
    const kept: string[] = [];
    // Stand-ins; test/browser/runs.test.ts uses the real actors.
    const pool: Partial<PoolApi> = {
      launch: async () => ({ launchMs: 1, exit: null, joined: true }) as LaunchedProfile,
      connect: async () => ({ port: port2, debuggingPorts: [] }),
    };
    const library: Partial<LibraryApi> = {
      beginRunProfile: async () => ({ script: {}, variables: {}, scratchDir: "" }) as RunTask,
      endRunProfile: async ({ outcome }) => {
        kept.push(outcome.status);
        return null;
      },
    };
    const context = contextOf(pool, library);
    const part = startPart(context, { run: { id: profileId }, timeoutMs: 1_000 } as RunWork, profileId);
    await part.closed;
    await closed;
    assert.deepEqual(kept, [answered ? "completed" : "failed"]);
  }
});

test("a part is done when its outcome is stored, and the next one starts while its browser still closes", async () => {
  let stopAsked = (): void => {};
  const stopping = new Promise<void>((resolve) => {
    stopAsked = resolve;
  });
  let browserGone = (): void => {};
  const order: string[] = [];
  const pool: Partial<PoolApi> = {
    launch: async () => ({ launchMs: 1, exit: null }) as LaunchedProfile,
    connect: async () => {
      throw new Fault("conflict", "the browser ended");
    },
    stop: async () => {
      stopAsked();
      await new Promise<void>((resolve) => {
        browserGone = resolve;
      });
      order.push("browser gone");
      return null;
    },
  };
  const library: Partial<LibraryApi> = {
    beginRunProfile: async () => ({ script: {}, variables: {}, scratchDir: "" }) as RunTask,
    endRunProfile: async () => {
      order.push("outcome kept");
      return null;
    },
  };
  const context = contextOf(pool, library);
  const waiting = [profileId, "7f0d2f4e-52f0-4b3c-9a37-000000000002"];
  const work = { run: { id: profileId }, timeoutMs: 1_000 } as RunWork;
  const options = {
    concurrency: 1,
    staggerMs: 0,
    clock: new ManualClock(),
    halt: new AbortController().signal,
  };
  const parts: Part[] = [];
  await runLanes(waiting, options, (id) => {
    if (parts.length > 0) order.push("next started");
    if (parts.length > 0) return { done: Promise.resolve() };
    const part = startPart(context, work, id);
    parts.push(part);
    return part;
  });
  await stopping;
  browserGone();
  await Promise.all(parts.map(({ closed }) => closed));
  assert.deepEqual(order, ["outcome kept", "next started", "browser gone"]);
});

const keeping = (kept: string[]): Partial<LibraryApi> => ({
  endRunProfile: async ({ outcome }) => {
    kept.push(outcome.status);
    return null;
  },
});

test("a part that is ended while it waits for a slot is skipped, not failed", async () => {
  const kept: string[] = [];
  let refuse = (_fault: Fault): void => {};
  let asked = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const pool: Partial<PoolApi> = {
    launch: () => {
      asked();
      return new Promise((_resolve, reject) => {
        refuse = reject;
      });
    },
    cancelWait: async () => {
      refuse(new Fault("conflict", "no longer waits for a browser slot"));
      return null;
    },
  };
  const work = { run: { id: profileId }, timeoutMs: 1_000 } as RunWork;
  const part = startPart(contextOf(pool, keeping(kept)), work, profileId);
  await waiting;
  part.abort("the service was stopped");
  await part.closed;
  assert.deepEqual(kept, []);
});

test("a part that is ended while another run uses its profile ends at once, without cancelling that run's wait", async () => {
  const kept: string[] = [];
  const pool: Partial<PoolApi> = {
    cancelWait: async ({ ticket }) => {
      if (ticket !== profileId) kept.push("cancelled the other's wait");
      return null;
    },
  };
  const context = contextOf(pool, keeping(kept));
  let over = (): void => {};
  const other = new Promise<void>((resolve) => {
    over = resolve;
  });
  await context.turns.take(profileId, other);
  const part = startPart(context, { run: { id: profileId }, timeoutMs: 1_000 } as RunWork, profileId);
  const next = context.turns.take(profileId, Promise.resolve());
  part.abort("the run was cancelled");
  await part.closed;
  assert.deepEqual(kept, []);
  over();
  await next;
});

test("a part that is ended before its turn requests no slot", async () => {
  const kept: string[] = [];
  const pool: Partial<PoolApi> = {
    launch: async () => {
      kept.push("launched");
      throw new Fault("conflict", "the pool is full");
    },
    cancelWait: async () => null,
  };
  const work = { run: { id: profileId }, timeoutMs: 1_000 } as RunWork;
  const part = startPart(contextOf(pool, keeping(kept)), work, profileId);
  part.abort("the run was cancelled");
  await part.closed;
  assert.deepEqual(kept, []);
});

test("storing an outcome is retried until the library succeeds", async () => {
  const context = { ...contextOf({}, {}), clock: new ManualClock() };
  let full = true;
  let tries = 0;
  const kept = insist(context, "keeping something", async () => {
    tries += 1;
    if (full) throw new Fault("internal", "the disk is full");
    return "kept";
  });
  await context.clock.advance(3_600_000);
  assert.ok(tries > 100, `only ${tries} tries in an hour`);
  full = false;
  await context.clock.advance(5_000);
  assert.equal(await kept, "kept");
});

async function launchedAfter(faults: Fault[]): Promise<{ launches: number; kept: string[] }> {
  const kept: string[] = [];
  let launches = 0;
  const pool: Partial<PoolApi> = {
    launch: async () => {
      const fault = faults[launches];
      launches += 1;
      if (fault !== undefined) throw fault;
      throw new Fault("conflict", "launched; the test ends here");
    },
  };
  const work = { run: { id: profileId }, timeoutMs: 1_000 } as RunWork;
  let over = false;
  const context = { ...contextOf(pool, keeping(kept)), clock: new ManualClock() };
  const part = startPart(context, work, profileId);
  const closed = part.closed.then(() => {
    over = true;
  });
  while (!over) await context.clock.advance(limits.launchAgainMs);
  await closed;
  return { launches, kept };
}

test("a part whose browser does not start retries the launch, up to three launches", async () => {
  const never = new Fault("conflict", "engine failed to start: no answer", { code: "no-browser" });
  const died = new Fault("internal", "the profile thread ended");
  assert.equal((await launchedAfter([never, died])).launches, 3);
  assert.deepEqual(await launchedAfter([never, never, never, never]), { launches: 3, kept: ["failed"] });
});

test("a part whose browser cannot start does not retry", async () => {
  const cannot = new Fault("conflict", "the profile's browser directory is in use by process 1");
  assert.deepEqual(await launchedAfter([cannot]), { launches: 1, kept: ["failed"] });
});
