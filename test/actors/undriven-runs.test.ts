/** Runs that exist although the library refused the call, because a failed sync may still have written them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { createRuns } from "../../actors/runs/actor.ts";
import { Fault } from "../../protocol/faults.ts";
import type { FiredRun, LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { RunRequest } from "../../protocol/messages/runs.ts";
import type { Run } from "../../protocol/records.ts";

const workOf = (id: string) =>
  ({ run: { id } as Run, waiting: [] as string[], concurrency: 1, staggerMs: 0 }) as RunWork;
const fails = async () => {
  throw new Fault("internal", "the disk fails");
};

/** A coordinator whose library refuses to create runs but creates `made`; `ended` resolves with the first run that ends. */
function coordinator(made: string, library: Partial<LibraryApi>) {
  const clock = new ManualClock();
  let end = (_runId: string): void => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const looks: string[][] = [];
  const parts: Partial<LibraryApi> = {
    async resumeRuns({ driven }) {
      looks.push(driven);
      return looks.length < 3 ? fails() : [workOf(made)];
    },
    async endRun({ runId }) {
      end(runId);
      return workOf(runId).run;
    },
    ...library,
  };
  const pool: Partial<PoolApi> = {
    endWaitedLaunches: async () => null,
    capacity: async () => ({ active: 0, max: 1, queued: 0, memory_short: false }),
  };
  const log = createLog("test", () => {});
  const runs = createRuns({ library: parts as LibraryApi, pool: pool as PoolApi, log, clock, ownPorts: [] });
  return { runs, clock, ended, looks };
}

test("a run whose creation was refused, but that exists when the library writes again, is completed", async () => {
  const { runs, clock, ended, looks } = coordinator("made", { createRun: fails });
  await assert.rejects(runs.start({} as RunRequest), { kind: "internal" });
  await clock.advance(10_000);
  assert.equal(await ended, "made");
  assert.deepEqual(looks, [[], [], []]);
});

test("a run of a schedule is completed likewise", async () => {
  const { runs, clock, ended } = coordinator("fired", { fireSchedule: fails });
  await assert.rejects(runs.startScheduled({ scheduleId: "", due: null }), { kind: "internal" });
  await clock.advance(10_000);
  assert.equal(await ended, "fired");
});

test("a run that is already running is not searched, and a real refusal leaves none", async () => {
  let isFirst = true;
  const { runs, clock, looks } = coordinator("made", {
    async fireSchedule() {
      return { run: workOf("driven").run, work: workOf("driven") } as FiredRun;
    },
    async createRun() {
      const kind = isFirst ? "conflict" : "internal";
      isFirst = false;
      throw new Fault(kind, "no");
    },
    endRun: () => new Promise(() => {}),
  });
  await runs.startScheduled({ scheduleId: "", due: null });
  await assert.rejects(runs.start({} as RunRequest), { kind: "conflict" });
  assert.deepEqual(looks, []);
  await assert.rejects(runs.start({} as RunRequest), { kind: "internal" });
  await clock.advance(0);
  assert.deepEqual(looks, [["driven"]]);
});

test("a run that the library makes for an ended coordinator, after the new one has looked, is completed", async () => {
  let looked = 0;
  const { runs, clock, ended } = coordinator("late", {
    resumeRuns: async () => (looked++ === 0 ? [] : [workOf("late")]),
  });
  await runs.resume();
  await clock.advance(5_000);
  assert.equal(await ended, "late");
});
