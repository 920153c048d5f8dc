// A thread that locks a data directory, and exits or stays on request.
import { parentPort, workerData } from "node:worker_threads";

const { lockDataDir } = await import(workerData.lock);
try {
  lockDataDir(workerData.dir);
  parentPort.postMessage("locked");
} catch (error) {
  parentPort.postMessage(error.message);
}
parentPort.on("message", () => process.exit(0));
