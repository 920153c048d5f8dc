/** A stop of the service at several moments: exit code 0, no process left, and every run ended with right counts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browsersStarting, callsInHand, endServices, partsRunning, stopAtMoments } from "../stop-moments.ts";

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-stop-"));
});
after(async () => {
  await endServices();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
});

test("a stop at any moment exits normally, and leaves no process and no open run", async () => {
  await stopAtMoments(dataDir, [
    { name: "while browsers start", reached: browsersStarting(3), signals: ["SIGTERM"] },
    { name: "while the service starts", reached: null, startMs: 30, signals: ["SIGTERM"] },
    { name: "while scripts run", reached: partsRunning(1), signals: ["SIGINT", "SIGINT"], apartMs: 1_100 },
    { name: "while callers wait", reached: callsInHand, signals: ["SIGHUP"] },
  ]);
});
