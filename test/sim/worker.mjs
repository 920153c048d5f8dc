/** A thread of simulations: registers the compiler, replaces the platform, and runs one seed after another, as it is asked. */
import { parentPort } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const port = parentPort;
const { runSeeds } = await import("./seeds.ts");
await runSeeds(port);
