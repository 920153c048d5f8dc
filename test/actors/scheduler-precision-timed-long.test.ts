/** How precisely schedules fire, on real threads and the real clock, with all cores busy. */
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { createLog } from "../../actors/kernel/log.ts";
import { superviseActors } from "../../actors/kernel/supervisor.ts";
import type { SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import { until } from "../gateway/serve.ts";
import type { TimekeepingConfig, TimekeepingLibrary } from "./timekeeping-actors.ts";

const count = 25;

function load(t: TestContext): void {
  for (let core = 1; core < availableParallelism(); core += 1) {
    const busy = new Worker("for (;;) {}", { eval: true });
    t.after(() => busy.terminate());
  }
}

test("under load, schedules fire within 50 ms of their time and never before it", async (t) => {
  const entry = new URL("./timekeeping-actors.ts", import.meta.url).href;
  const times: TimekeepingConfig = { count, leadMs: 300, apartMs: 83 };
  const config: SchedulerConfig = { housekeepingMs: 600_000, clockLookMs: 1_000, restarted: false };
  const supervisor = await superviseActors(
    [],
    createLog("test", () => {}),
  );
  t.after(async () => {
    for (const name of ["scheduler", "runs", "library"] as const) await supervisor.end(name);
  });
  load(t);
  await supervisor.add([
    { name: "library", entry, config: () => times, peers: [] },
    { name: "runs", entry, config: () => null, peers: ["library"] },
    { name: "scheduler", config: () => config, peers: ["library", "runs"] },
  ]);
  const library = supervisor.api<TimekeepingLibrary>("library");
  await until("all schedules have fired", async () => (await library.lateness({})).ms.length === count);
  const ms = (await library.lateness({})).ms.sort((a, b) => a - b);
  t.diagnostic(`late by ms: ${ms.join(" ")}`);
  assert.ok((ms[0] ?? -1) >= 0, "a schedule fired before its time");
  assert.ok((ms.at(-1) ?? Number.POSITIVE_INFINITY) <= 50, ms.join(" "));
});
