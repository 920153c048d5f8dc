/** Memory limits of a script's process. An approved script gets more. */
import { limits } from "../../protocol/limits.ts";

/** The V8 heap in MiB, and resident bytes in all. */
export interface MemoryLimits {
  heapMb: number;
  rssBytesMax: number;
}

/** Fixed when the process starts. */
export function memoryOf(approved: boolean): MemoryLimits {
  return approved ? limits.scriptMemoryApproved : limits.scriptMemoryUnapproved;
}
