/** Runs in a simulation thread: receives seeds, posts outcomes. */
import type { MessagePort } from "node:worker_threads";
import { openSqlite } from "../../storage/sqlite.ts";
import { makeBeginning } from "./make-beginning.ts";
import { replacePlatform } from "./platform.ts";
import { simulate } from "./simulate.ts";

export async function runSeeds(port: MessagePort): Promise<void> {
  (await openSqlite(null)).close(); // Compiles sql.js in real time; later waits are in virtual time only.
  replacePlatform();
  const beginning = await makeBeginning();
  let last: Promise<void> = Promise.resolve();
  port.on("message", (seed: number) => {
    last = last.then(async () => port.postMessage(await simulate(seed, beginning)));
  });
  port.postMessage("ready");
}
