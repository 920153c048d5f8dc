/** Entry of the task threads: stateless methods (actors/README.md, "Threads"). */
import { dslVersion } from "../../protocol/dsl/document.ts";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { tasksChecks } from "../../protocol/generated/messages/tasks.ts";
import type { TasksApi } from "../../protocol/messages/tasks.ts";
import { checkContract } from "../contract/check.ts";
import { compileDsl } from "../dsl/compile.ts";
import { publishedSchema } from "../dsl/schema.ts";
import { chooseDevices } from "../fingerprint/choose.ts";
import { gated } from "../kernel/rpc.ts";
import type { TaskAnswer } from "../kernel/task-pool.ts";
import { stepBack } from "../kernel/thread-priority.ts";
import { probeIsolation } from "../script/isolation.ts";
import { packProfile, unpackProfile } from "./archives.ts";
import { deviceSource } from "./device-samples.ts";
import { measureExits } from "./measure-exits.ts";
import { readOrigins, writeOrigins } from "./storage-state.ts";

const api: TasksApi = {
  checkContract: async ({ source }) => checkContract(source),
  async sampleDevices(wish) {
    // Loaded at the normal priority, because a caller waits and a low priority is slow beside busy browsers.
    const source = await deviceSource();
    stepBack();
    return { devices: chooseDevices(wish, source) };
  },
  measureExits,
  readOrigins,
  writeOrigins,
  packProfile,
  unpackProfile,
  compileDsl: async ({ dsl, target }) => compileDsl(dsl, target),
  dslSchema: async () => ({ dslVersion, schema: publishedSchema }),
  async probeIsolation() {
    const { level, missing, summary } = await probeIsolation();
    return { level, missing, summary };
  },
};
const tasks = gated(api, tasksChecks);

/** CPU-bound methods that load nothing: their thread lowers its priority, so that calls are answered meanwhile. */
const busy: ReadonlySet<string> = new Set<keyof TasksApi>(["checkContract", "compileDsl"]);

export default async function task({
  method,
  input,
}: {
  method: string;
  input: unknown;
}): Promise<TaskAnswer> {
  try {
    const perform = tasks[method];
    if (perform === undefined) throw new Fault("internal", `there is no task ${method}`);
    if (busy.has(method)) stepBack();
    return { value: await perform(input) };
  } catch (error) {
    return { fault: faultRecord(error) };
  }
}
