/** Stops of the service at many moments, some of them random; a failure names their seed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createRandom } from "../../seeded-random.ts";
import {
  browsersStarting,
  callsInHand,
  endServices,
  later,
  type Moment,
  partsEnded,
  partsRunning,
  runStarted,
  stopAtMoments,
} from "../stop-moments.ts";

const seed = Number(process.env.TROUPE_SEED ?? 28);
const draws = 10;

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-stop-"));
});
after(async () => {
  await endServices();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
});

function drawn(): Moment[] {
  const draw = createRandom(seed);
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  return Array.from({ length: draws }, (_, index): Moment => {
    const ms = Math.round(draw() * 3_000);
    const first = signals[Math.floor(draw() * signals.length)] ?? "SIGTERM";
    const twice = draw() < 0.4;
    const apartMs = Math.round(draw() * 2_500);
    const what = { signals: twice ? [first, "SIGTERM" as const] : [first], apartMs };
    return index % 4 === 3
      ? { ...what, name: `seed ${seed}: ${ms / 10} ms after the start`, reached: null, startMs: ms / 10 }
      : { ...what, name: `seed ${seed}: ${ms} ms after the run began`, reached: later(ms) };
  });
}

test("a stop at each of many moments exits normally, and leaves no process and no open run", {
  timeout: 15 * 60_000,
}, async () => {
  const one = (name: string, reached: Moment["reached"]): Moment => ({ name, reached, signals: ["SIGTERM"] });
  await stopAtMoments(dataDir, [
    { ...one("its data has just been opened", null), startMs: 0 },
    one("the run has just been started", runStarted),
    one("the first browser starts", browsersStarting(1)),
    one("two scripts run", partsRunning(2)),
    one("half of the run has ended", partsEnded(3)),
    one("the run has ended", partsEnded(6)),
    one("callers wait", callsInHand),
    ...drawn(),
  ]);
});
