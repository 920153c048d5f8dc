/** How a `stop` leaves the places it stands in. */
import type { Emission } from "./emission.ts";

/** Lines that let a stop through a `catch`. */
export function letStopPass(emit: Emission, caught: string): void {
  if (usesStop(emit)) emit.out.line(`if (${caught} instanceof ${emit.kit.use("Stop")}) throw ${caught};`);
}

/** Whether the compiled code ends runs with an exception: a plain `return` does elsewhere. */
export function usesStop(emit: Emission): boolean {
  return emit.facts.blocks.some(
    ({ block, subflow }) => block.kind === "stop" && (block.status === "failed" || subflow !== null),
  );
}
