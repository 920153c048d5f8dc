/** Browser messages that a script leaves unread are counted, and too many end its run, because all clients share the channel. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../actors/kernel/clock.ts";
import { createDeferred } from "../../actors/kernel/deferred.ts";
import { probeIsolation } from "../../actors/script/isolation.ts";
import { createLedger } from "../../actors/script/log-and-output.ts";
import { type RunnerExit, type RunnerProcess, startRunner } from "../../actors/script/spawn.ts";
import { supervise } from "../../actors/script/supervise.ts";
import { createWorkspace } from "../../actors/script/workspace.ts";
import { limits } from "../../protocol/limits.ts";

async function withDir(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  try {
    await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

test("bytes that a process does not read are counted", async () => {
  await withDir(async (dir) => {
    const kind = { library: "puppeteer", approved: true } as const;
    const dirs = { uploadsDir: dir, tempDir: join(dir, "tmp") };
    const runner = await startRunner(kind, await probeIsolation(), dirs);
    try {
      await runner.ready;
      process.kill(-runner.pid, "SIGSTOP");
      const megabyte = "x".repeat(1024 ** 2);
      const first = runner.sendCdp(megabyte);
      const second = runner.sendCdp(megabyte);
      const third = runner.sendCdp(megabyte);
      assert.ok(first >= 1024 ** 2, `${first} bytes`);
      assert.ok(second >= first + 1024 ** 2, `${second} bytes after ${first}`);
      assert.ok(third >= second + 1024 ** 2, `${third} bytes after ${second}`);
    } finally {
      await runner.discard();
    }
  });
});

async function runLeaving(dir: string, unread: () => number) {
  const exited = createDeferred<RunnerExit>();
  const started = createDeferred<void>();
  const end = () => exited.resolve({ code: null, signal: "SIGKILL", outOfMemory: false });
  let print = (_line: string): void => {};
  const runner: RunnerProcess = {
    memory: { heapMb: 1, rssBytesMax: 1 },
    isolation: "lock",
    pid: 0,
    workspace: await createWorkspace(dir),
    ready: Promise.resolve(),
    exited: exited.promise,
    listen: ({ line }) => {
      print = line;
    },
    send: () => started.resolve(),
    sendCdp: unread,
    holdBack: () => {},
    residentBytes: () => 0,
    overfull: async () => null,
    strike: () => end(),
    discard: async () => {},
  };
  let speak = (_text: string): void => {};
  const abort = new AbortController();
  const outcome = supervise({
    handoff: async () => "refused",
    runner,
    job: {
      runId: "00000000-0000-4000-8000-000000000001",
      source: "export default async () => {};",
      scriptName: "test",
      library: "puppeteer",
      approved: true,
      variables: {},
      scratchDir: join(dir, "kept"),
      timeoutMs: 30_000,
    },
    profile: { id: "00000000-0000-4000-8000-000000000002", name: "Ada" },
    uploadsDir: dir,
    browser: {
      cdpUrl: "http://127.0.0.1:1",
      openClient: async ({ message }) => {
        speak = message;
        return { send: () => {}, close: () => {} };
      },
      backlog: () => 0,
      drained: async () => {},
      settled: async () => {},
    },
    policy: { judge: () => ({ reply: "{}" }), hear: () => {} },
    clock: systemClock,
    ledger: createLedger(),
    abort: abort.signal,
  });
  await started.promise;
  return {
    outcome,
    speak,
    print: (line: string) => print(line),
    cancel: (why: string) => abort.abort(new Error(why)),
  };
}

test("a run may leave as much unread as the limit, and ends beyond it", async () => {
  await withDir(async (dir) => {
    let unread: number = limits.scriptUnreadBytesMax;
    const { outcome, speak, cancel } = await runLeaving(dir, () => unread);
    speak("{}");
    unread += 1;
    speak("{}");
    cancel("the test ends the run");
    const { status, error } = await outcome;
    assert.equal(status, "failed");
    assert.equal(error, "the script left more than 128 MiB of its browser's messages unread");
  });
});

test("a run that left as much unread as the limit continues", async () => {
  await withDir(async (dir) => {
    const { outcome, speak, cancel } = await runLeaving(dir, () => limits.scriptUnreadBytesMax);
    speak("{}");
    cancel("the test ends the run");
    assert.equal((await outcome).error, "the test ends the run");
  });
});

test("output that a process prints outside its runner is logged, and ends the run beyond the limit", async () => {
  await withDir(async (dir) => {
    const { outcome, print } = await runLeaving(dir, () => 0);
    const line = "x".repeat(limits.scriptLogLineCharsMax);
    for (let bytes = 0; bytes <= limits.scriptLogBytesMax; bytes += line.length) print(line);
    const { error, log } = await outcome;
    assert.match(error ?? "", /logged more than/);
    assert.match(log[0] ?? "", /xxx/);
  });
});
