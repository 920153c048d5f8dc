/** The pool of task threads: stateless CPU work, done by whichever thread is free (piscina). */
import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
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
  const pool = new Piscina({
    filename: taskEntry().href,
    execArgv: [],
    minThreads: 0,
    maxThreads: availableParallelism(),
    idleTimeout: 30_000,
    maxQueue: tasksWaitingMax,
    // Piscina's default blocks a worker's event loop between tasks (DESIGN 8).
    atomics: "disabled",
  });
  const call = async (method: string, input: unknown) => {
    const answer: TaskAnswer = await pool.run({ method, input }).catch((error: unknown) => {
      throw new Fault("internal", `task ${method} failed: ${faultRecord(error).message}`);
    });
    if ("fault" in answer) throw faultFrom(answer.fault);
    return answer.value;
  };
  const api = Object.fromEntries(methods.map((method) => [method, (input: unknown) => call(method, input)]));
  return { api: api as Api, close: () => pool.destroy() }; // The methods named are the interface's.
}
