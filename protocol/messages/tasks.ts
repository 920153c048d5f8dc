/** Stateless CPU work on task threads (piscina): an input, an answer, nothing kept. */
import type { ScriptLibrary } from "../scalars.ts";

/** One breach of the Raw script contract. Shown as `line N [rule] message`. */
export interface Violation {
  line: number;
  rule: string;
  message: string;
}

export interface TasksApi {
  /** Violations sorted by line then rule, at most 100; `library` is inferred from the imports. */
  checkContract(input: { source: string }): Promise<{ violations: Violation[]; library: ScriptLibrary }>;
  /** How far a script's process can be shut in on this machine, for `troupe doctor`. */
  probeIsolation(input: Record<string, never>): Promise<{ level: string; summary: string }>;
}
