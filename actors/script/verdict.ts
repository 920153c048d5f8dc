/** The outcome of a run, with its error message. */
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import type { MemoryLimits } from "./memory.ts";
import { exitCodes } from "./messages.ts";
import { firstPosition } from "./positions.ts";
import type { RunnerExit } from "./spawn.ts";

export type Verdict = { error: null; result: unknown } | { error: string };

/** The outcome of a returned function; `result` is JSON from the runner. */
export function completedVerdict(result: string): Verdict {
  if (Buffer.byteLength(result) > limits.scriptResultBytesMax)
    return { error: `run returned more than ${limits.scriptResultBytesMax} bytes of JSON` };
  const excess = jsonExcess(Buffer.from(result));
  if (excess !== null) return { error: `the result of run ${excess}` };
  try {
    return { error: null, result: JSON.parse(result) };
  } catch {
    return { error: "run returned something that is not JSON" };
  }
}

/** The outcome of a thrown error: its message, with the script position after the first line if it has none. */
export function thrownVerdict(message: string, stack: string): Verdict {
  const at = firstPosition(stack);
  if (at === null || firstPosition(message) !== null) return { error: message };
  const [first = "", ...rest] = message.split("\n");
  return { error: [`${first} (${at})`, ...rest].join("\n") };
}

export function memoryVerdict({ heapMb, rssBytesMax }: MemoryLimits): Verdict {
  return {
    error: `the script used more memory than allowed: ${heapMb} MiB of heap, ${rssBytesMax / 1024 ** 2} MiB in all`,
  };
}

/** The outcome of a process that ended before the function returned. */
export function exitVerdict({ code, signal, outOfMemory }: RunnerExit, memory: MemoryLimits): Verdict {
  if (code === exitCodes.logFlood)
    return { error: `the script logged more than ${limits.scriptLogBytesMax} bytes` };
  if (code === exitCodes.outputFlood)
    return {
      error: `the script output more than ${limits.scriptOutputRowsMax} rows or ${limits.scriptOutputBytesMax} bytes`,
    };
  if (outOfMemory) return memoryVerdict(memory);
  return { error: `the script's process ended before run did (${signal ?? `exit code ${code}`})` };
}

/** A duration for messages: `30 min`, `2 s`, `1500 ms`. */
export function duration(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}
