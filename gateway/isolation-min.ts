/** How far this machine can isolate scripts. A task thread probes it: the gateway does not know the sandbox. */
import { startTaskPool } from "../actors/kernel/task-pool.ts";
import { Fault } from "../protocol/faults.ts";
import type { ProbedIsolation, ScriptTasks } from "../protocol/messages/tasks.ts";
import type { IsolationLevel } from "../protocol/scalars.ts";

export async function probeIsolation(): Promise<ProbedIsolation> {
  const tasks = startTaskPool<ScriptTasks>();
  try {
    return await tasks.api.probeIsolation({});
  } finally {
    await tasks.close();
  }
}

/** Strongest first. */
const levels: readonly IsolationLevel[] = ["sealed", "namespaces", "lock"];

interface Asked {
  library: {
    readScript(input: { scriptId: string }): Promise<{ approved: boolean }>;
    readSettings(input: Record<string, never>): Promise<{ isolationMin: IsolationLevel }>;
  };
  tasks: Pick<ScriptTasks, "probeIsolation">;
}

/** Throws `conflict`, naming what is missing, for an unapproved script when this machine isolates less than the setting `isolationMin`. */
export async function refuseUnwalled({ library, tasks }: Asked, scriptId: string): Promise<void> {
  const { approved } = await library.readScript({ scriptId });
  if (approved) return;
  const { isolationMin } = await library.readSettings({});
  if (isolationMin === "lock") return;
  const { level, missing } = await tasks.probeIsolation({});
  if (missing === null || levels.indexOf(level) <= levels.indexOf(isolationMin)) return;
  throw new Fault(
    "conflict",
    `the script is not approved, and there is ${missing}; or approve the script, or allow less isolation in the application: troupe settings isolationMin=${level}`,
  );
}
