/** Runs simulations on several threads, each seed completely on one thread. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Outcome } from "./simulate.ts";

/** Real time after which a seed counts as hung. */
const seedMsMax = 600_000;
/** Frees the memory that SQLite gathers in a thread. */
const seedsPerThread = 250;

/** Passes each outcome to `heard`; stops early when that returns false. */
export async function simulateAll(
  seeds: readonly number[],
  heard: (outcome: Outcome) => boolean,
  threads = Math.min(availableParallelism(), Math.ceil(seeds.length / 10)),
): Promise<void> {
  const left = [...seeds];
  let goesOn = true;
  const lane = async () => {
    while (goesOn && left.length > 0) {
      const thread = await startThread();
      for (let run = 0; run < seedsPerThread && goesOn; run += 1) {
        const seed = left.shift();
        if (seed === undefined) break;
        goesOn = heard(await thread.run(seed)) && goesOn;
      }
      await thread.end();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, threads) }, lane));
}

async function startThread() {
  const worker = new Worker(new URL("./worker.mjs", import.meta.url), {
    execArgv: [],
    env: { ...process.env, TROUPE_LOG: "warn" },
  });
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const hung = setTimeout(() => reject(new Error(`no outcome within ${seedMsMax} ms`)), seedMsMax);
      const over = () => {
        clearTimeout(hung);
        worker.off("message", came).off("error", broke);
      };
      const came = (message: unknown) => {
        over();
        resolve(message);
      };
      const broke = (error: Error) => {
        over();
        reject(error);
      };
      worker.on("message", came).on("error", broke);
    });
  await next();
  return {
    async run(seed: number): Promise<Outcome> {
      const outcome = next();
      worker.postMessage(seed);
      try {
        return (await outcome) as Outcome;
      } catch (error) {
        return { seed, wrong: String(error), step: 0, digest: "", trace: [] };
      }
    },
    end: () => worker.terminate(),
  };
}
