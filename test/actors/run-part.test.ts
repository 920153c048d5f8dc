/** One profile's part of a run: the port to the profile's thread is given back when the part has ended, and no browser stays that nobody wants. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { createLog } from "../../actors/kernel/log.ts";
import { startPart } from "../../actors/runs/part.ts";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi, RunTask, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { LaunchedProfile } from "../../protocol/profile-spec.ts";

type ProfileSpecReply = Awaited<ReturnType<LibraryApi["profileSpec"]>>;

const profileId = "7f0d2f4e-52f0-4b3c-9a37-000000000001";

test("the port to a profile that stays running is closed after its part, however that ended", async () => {
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
    // The two actors beside the part; the real ones are in test/browser/runs.test.ts.
    const pool: Partial<PoolApi> = {
      live: async () => [{ profileId, status: "running", cdpUrl: null, headless: true }],
      connect: async () => ({ port: port2 }),
    };
    const library: Partial<LibraryApi> = {
      beginRunProfile: async () => ({ script: {}, variables: {}, scratchDir: "" }) as RunTask,
      endRunProfile: async ({ outcome }) => {
        kept.push(outcome.status);
        return null;
      },
    };
    const context = {
      log: createLog("test", () => {}),
      pool: pool as PoolApi,
      library: library as LibraryApi,
      ownPorts: () => [],
    };
    const part = startPart(context, { run: { id: profileId }, timeoutMs: 1_000 } as RunWork, profileId);
    await part.closed;
    await closed;
    assert.deepEqual(kept, [answered ? "completed" : "failed"]);
  }
});

test("a profile that has gone to the trash while the part opened it is closed again, and the part has failed", async () => {
  const stopped: string[] = [];
  const kept: (string | null)[] = [];
  const pool: Partial<PoolApi> = {
    live: async () => [],
    launch: async () => ({ launchMs: 1, exit: null }) as LaunchedProfile,
    stop: async (input) => {
      stopped.push(input.profileId);
      return null;
    },
  };
  const library: Partial<LibraryApi> = {
    profileSpec: async () => ({ spec: { profileId, proxy: null }, idleTimeoutSecs: 0 }) as ProfileSpecReply,
    profileUsed: async () => {
      throw new Fault("not-found", `profile ${profileId} does not exist`);
    },
    endRunProfile: async ({ outcome }) => {
      kept.push(outcome.error);
      return null;
    },
  };
  const context = {
    log: createLog("test", () => {}),
    pool: pool as PoolApi,
    library: library as LibraryApi,
    ownPorts: () => [],
  };
  await startPart(context, { run: { id: profileId }, timeoutMs: 1_000 } as RunWork, profileId).closed;
  assert.deepEqual(kept, [`profile ${profileId} does not exist`]);
  assert.deepEqual(stopped, [profileId]);
});
