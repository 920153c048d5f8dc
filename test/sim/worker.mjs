/** A simulation thread: registers the compiler, replaces the platform, and runs seeds. */
import { parentPort } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const port = parentPort;
const { runSeeds } = await import("./seeds.ts");
await runSeeds(port);
