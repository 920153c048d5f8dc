/** The context of every load, and the loop that repeats it until the soak ends. */
import type { Ledger } from "../ledger.ts";
import type { Target } from "../target.ts";

export interface LoadContext {
  target: Target;
  ledger: Ledger;
  random(): number;
  site: string;
  runs: AskedRuns;
}

export interface AskedRun {
  what: string;
  profileIds: readonly string[];
  planned: ReadonlyMap<string, RegExp>;
}

export type AskedRuns = Map<string, AskedRun>;

/** One round of a load. Never throws: failures are in the ledger. */
export type Round = (context: LoadContext) => Promise<void>;

export async function keepOn(
  context: LoadContext,
  round: Round,
  pauseMs: number,
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    await context.target.up();
    await round(context);
    await pause(pauseMs * context.random(), ending);
  }
}

export function pause(ms: number, ending?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ending?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      ending?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ending?.addEventListener("abort", done);
  });
}

export function pick<Item>(random: () => number, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("the list to choose from is empty");
  return item;
}
