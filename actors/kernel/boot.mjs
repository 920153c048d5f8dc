/** Starts a worker thread from TypeScript source: registers tsx, then loads the entry named in the worker's data. */
import { workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
await import(workerData.entry);
