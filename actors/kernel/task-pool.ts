/** The pool of task threads for stateless CPU work (piscina). */
import { availableParallelism } from "node:os";
import type { Piscina } from "piscina";
import { Fault, type FaultRecord, faultFrom, faultRecord } from "../../protocol/faults.ts";
import { taskEntry } from "./entries.ts";
import { methodsOf } from "./remote.ts";

/** The answer of a task thread; a fault crosses as a record. */
export type TaskAnswer = { value: unknown } | { fault: FaultRecord };

export interface TaskPool<Api> {
  api: Api;
  close(): Promise<void>;
}

const tasksWaitingMax = 256;

// Deep nesting in a parser would overflow the default 4 MB stack, which ends the whole process. Memory is used only as needed.
const stackSizeMb = 512;

const waitingTasksMax = 64;

/** A pool with the interface `Api`: each method is one task `{ method, input }`. Tasks in `waiting` mostly wait. */
export function startTaskPool<Api extends object>(waiting: readonly string[] = []): TaskPool<Api> {
  const computing = lazily(() => openPool({ maxThreads: availableParallelism() }));
  const biding = lazily(() => openPool({ maxThreads: 1, concurrentTasksPerWorker: waitingTasksMax }));
  const call = async (method: string, input: unknown) => {
    const pool = await (waiting.some((name) => name === method) ? biding : computing).get();
    const answer: TaskAnswer = await pool.run({ method, input }).catch((error: unknown) => {
      throw new Fault("internal", `task ${method} failed: ${faultRecord(error).message}`);
    });
    if ("fault" in answer) throw faultFrom(answer.fault);
    return answer.value;
  };
  return {
    api: methodsOf<Api>((method, [input]) => call(method, input)),
    close: async () => void (await Promise.all([computing.close(), biding.close()])),
  };
}

function lazily(open: () => Promise<Piscina>) {
  let opened: Promise<Piscina> | null = null;
  return {
    get() {
      opened ??= open();
      return opened;
    },
    close: async () => (await opened)?.destroy(),
  };
}

/** Loads piscina with the first task, which saves memory in a service without tasks. */
async function openPool(width: { maxThreads: number; concurrentTasksPerWorker?: number }): Promise<Piscina> {
  const { Piscina } = await import("piscina");
  return new Piscina({
    filename: taskEntry().href,
    execArgv: [],
    minThreads: 0,
    ...width,
    idleTimeout: 30_000,
    resourceLimits: { stackSizeMb },
    maxQueue: tasksWaitingMax,
    // The default of piscina blocks a worker's event loop between tasks.
    atomics: "disabled",
  });
}
