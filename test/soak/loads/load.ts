/** What every kind of load is given, and how it goes on until the soak ends. */
import type { Ledger } from "../ledger.ts";
import type { Target } from "../target.ts";

export interface LoadContext {
  target: Target;
  ledger: Ledger;
  /** From 0 to 1. */
  random(): number;
  /** Origin of the site that browsers visit. */
  site: string;
  /** Every run that was asked for, with the profiles it was asked for. */
  runs: AskedRuns;
}

export interface AskedRun {
  what: string;
  profileIds: readonly string[];
  /** Which profiles' parts are to fail, and what they say then. */
  planned: ReadonlyMap<string, RegExp>;
}

/** By the id of the run. */
export type AskedRuns = Map<string, AskedRun>;

/** One round of a load. It never throws: what fails is in the ledger. */
export type Round = (context: LoadContext) => Promise<void>;

/** Rounds one after the other, with a pause of up to `pauseMs` between them, until `ending`. */
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

/** Waits, but not past `ending`. */
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
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}
