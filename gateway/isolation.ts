/** How far scripts can be shut in here: asked of a task thread, because the gateway knows nothing of their sandbox. */
import { startTaskPool } from "../actors/kernel/task-pool.ts";
import type { TasksApi } from "../protocol/messages/tasks.ts";

export async function probeIsolation(): Promise<{ level: string; summary: string }> {
  const tasks = startTaskPool<TasksApi>(["probeIsolation"]);
  try {
    return await tasks.api.probeIsolation({});
  } finally {
    await tasks.close();
  }
}
