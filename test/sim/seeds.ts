/** The inside of a thread of simulations: seeds come in, outcomes go out. */
import type { MessagePort } from "node:worker_threads";
import { openSqlite } from "../../storage/sqlite.ts";
import { makeBeginning } from "./make-beginning.ts";
import { replacePlatform } from "./platform.ts";
import { simulate } from "./simulate.ts";

/** Runs each seed that comes, in turn. */
export async function runSeeds(port: MessagePort): Promise<void> {
  (await openSqlite(null)).close(); // Compiled for real: from here on nothing waits but in virtual time.
  replacePlatform();
  const beginning = await makeBeginning();
  let last: Promise<void> = Promise.resolve();
  port.on("message", (seed: number) => {
    last = last.then(async () => port.postMessage(await simulate(seed, beginning)));
  });
  port.postMessage("ready");
}
