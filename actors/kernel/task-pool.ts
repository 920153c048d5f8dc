/** The pool of task threads: stateless CPU work, done by whichever thread is free (piscina). */
import { availableParallelism } from "node:os";
import type { Piscina } from "piscina";
import { Fault, type FaultRecord, faultFrom, faultRecord } from "../../protocol/faults.ts";
import { taskEntry } from "./entries.ts";

/** What a task thread answers: faults cross as records. */
export type TaskAnswer = { value: unknown } | { fault: FaultRecord };

export interface TaskPool<Api> {
  api: Api;
  close(): Promise<void>;
}

/** Tasks that may wait for a thread; more are refused. */
const tasksWaitingMax = 256;

/**
 * A parser recurses: 10,000 parentheses overflow the 4 MB of a thread's stack, which ends the whole process. This is enough
 * for 512 KiB of any one token (measured); memory is taken only as deep as a source goes.
 */
const stackSizeMb = 512;

/** Tasks that wait for the network take no turn from those that compute: they have one thread of their own, all at once. */
const waitingTasksMax = 64;

/**
 * A pool whose interface is `Api`: each method is one task, `{ method, input }`. Those in `waiting` spend their time waiting
 * for the network. Threads end when idle.
 */
export function startTaskPool<Api extends object>(
  methods: readonly (keyof Api & string)[],
  waiting: readonly (keyof Api & string)[] = [],
): TaskPool<Api> {
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
  const named = [...methods, ...waiting];
  const api = Object.fromEntries(named.map((method) => [method, (input: unknown) => call(method, input)]));
  return {
    api: api as Api, // The methods named are the interface's.
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

/** Loaded for the first task: a service without one is spared 6 MB. */
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
    // Piscina's default blocks a worker's event loop between tasks.
    atomics: "disabled",
  });
}
