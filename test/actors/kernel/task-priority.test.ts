/** Task threads have a lower priority than the thread that answers calls. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { steppedBackNice } from "../../../actors/kernel/process-priority.ts";
import { startTaskPool } from "../../../actors/kernel/task-pool.ts";
import type { TasksApi } from "../../../protocol/messages/tasks.ts";

const threads = "/proc/self/task";

/** Priorities of this process's threads. Only Linux has one per thread. */
function priorities(): number[] {
  return existsSync(threads) ? readdirSync(threads).map((id) => getPriority(Number(id))) : [];
}

test("a thread that checks scripts has a lower priority, and no other thread", async () => {
  const before = priorities();
  const tasks = startTaskPool<TasksApi>();
  for (let call = 0; call < 3; call += 1)
    await tasks.api.checkContract({ source: "export default async () => {};" });
  const lowered = priorities().filter((one) => one === steppedBackNice());
  assert.equal(lowered.length > 0, existsSync(threads));
  assert.ok(before.every((one) => one < steppedBackNice()));
  assert.ok(getPriority(process.pid) < steppedBackNice());
  await tasks.close();
});
