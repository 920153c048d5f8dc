/** How `stop` ends a run from inside other blocks. */
import type { Emission } from "./emission.ts";

export function letStopPass(emit: Emission, caught: string): void {
  if (usesStop(emit)) emit.out.line(`if (${caught} instanceof ${emit.kit.use("Stop")}) throw ${caught};`);
}

/** True if a `stop` needs an exception; otherwise a plain `return` is enough. */
export function usesStop(emit: Emission): boolean {
  return emit.facts.blocks.some(
    ({ block, subflow }) => block.kind === "stop" && (block.status === "failed" || subflow !== null),
  );
}
