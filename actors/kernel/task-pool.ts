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

/** A pool whose interface is `Api`: each method is one task, `{ method, input }`. Threads end when idle. */
export function startTaskPool<Api extends object>(methods: readonly (keyof Api & string)[]): TaskPool<Api> {
  let opened: Promise<Piscina> | null = null;
  const call = async (method: string, input: unknown) => {
    opened ??= openPool();
    const pool = await opened;
    const answer: TaskAnswer = await pool.run({ method, input }).catch((error: unknown) => {
      throw new Fault("internal", `task ${method} failed: ${faultRecord(error).message}`);
    });
    if ("fault" in answer) throw faultFrom(answer.fault);
    return answer.value;
  };
  const api = Object.fromEntries(methods.map((method) => [method, (input: unknown) => call(method, input)]));
  return { api: api as Api, close: async () => (await opened)?.destroy() }; // The methods named are the interface's.
}

/** Loaded for the first task: a service without one is spared 6 MB. */
async function openPool(): Promise<Piscina> {
  const { Piscina } = await import("piscina");
  return new Piscina({
    filename: taskEntry().href,
    execArgv: [],
    minThreads: 0,
    maxThreads: availableParallelism(),
    idleTimeout: 30_000,
    maxQueue: tasksWaitingMax,
    // Piscina's default blocks a worker's event loop between tasks (DESIGN 8).
    atomics: "disabled",
  });
}
