/** Checks a script against the Raw script contract (protocol/README.md, "Scripts, runs"). */
import { Fault } from "../protocol/faults.ts";
import type { ScriptTasks } from "../protocol/messages/tasks.ts";
import type { ScriptLibrary } from "../protocol/scalars.ts";

/** The library that `source` imports. Throws `invalid`, with one line per breach. */
export async function checkedLibrary(
  tasks: Pick<ScriptTasks, "checkContract">,
  source: string,
): Promise<ScriptLibrary> {
  const { violations, library } = await tasks.checkContract({ source });
  if (violations.length === 0) return library;
  const lines = violations.map(({ line, rule, message }) => `line ${line} [${rule}] ${message}`);
  throw new Fault("invalid", `the script breaks the Raw script contract\n${lines.join("\n")}`);
}
