/** What a script's process may use; an approved script is given more. */
import { limits } from "../../protocol/limits.ts";

/** MiB of V8's heap, and resident bytes in all. */
export interface MemoryLimits {
  heapMb: number;
  rssBytesMax: number;
}

/** Fixed when the process starts. */
export function memoryOf(approved: boolean): MemoryLimits {
  return approved ? limits.scriptMemoryApproved : limits.scriptMemoryUnapproved;
}
