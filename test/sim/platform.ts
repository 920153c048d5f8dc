/** Replaces time, chance, threads and ports in this worker for good, so that the unchanged product depends on the seed only. */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";
import { createRandom } from "../seeded-random.ts";
import type { Chance } from "./chance.ts";
import { type SimChannel, SimPort } from "./ports.ts";
import type { SimWorker } from "./threads.ts";
import type { Timeline } from "./timeline.ts";

export interface Platform {
  timeline: Timeline;
  chance: Chance;
  channel(): SimChannel;
  worker(name: string, data: { config: unknown }): SimWorker;
}

const realImmediate = globalThis.setImmediate;

/** Resolves when no promise can proceed any further. */
export function settled(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

let current: Platform | null = null;

function now(): Platform {
  if (current === null) throw new Error("no simulation is running");
  return current;
}

export function enter(platform: Platform): void {
  current = platform;
}

const timer = (cancel: () => void) => {
  const handle = { cancel, ref: () => handle, unref: () => handle, hasRef: () => false };
  return handle;
};

const plan = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
  timer(now().timeline.after(Math.max(1, ms), () => run(...given)));

function repeat(run: () => void, ms: number) {
  let cancel = () => {};
  const arm = () => {
    cancel = now().timeline.after(Math.max(1, ms), () => {
      arm();
      run();
    });
  };
  arm();
  return timer(() => cancel());
}

function randomBytes(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => now().chance.between(0, 255)));
}

function randomUUID(): string {
  const hex = randomBytes(16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

class SimDate extends Date {
  constructor(...given: []) {
    if (given.length === 0) super(SimDate.now());
    else super(...given);
  }

  static override now(): number {
    return Math.floor(now().timeline.wall);
  }
}

/** Call once, before the first simulation. */
export function replacePlatform(): void {
  const clear = (handle?: { cancel?: () => void }) => handle?.cancel?.();
  const globals = {
    Date: SimDate,
    setTimeout: plan,
    setInterval: repeat,
    setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) =>
      timer(now().timeline.after(0, () => run(...given))),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  for (const [name, value] of Object.entries(globals)) Reflect.set(globalThis, name, value);
  // Has its own seed: cached values, such as parsed cron expressions, draw in one simulation and not in the next.
  Reflect.set(Math, "random", createRandom(1));
  Reflect.set(performance, "now", () => now().timeline.now);
  Reflect.set(crypto, "randomUUID", randomUUID);
  Reflect.set(crypto, "randomBytes", randomBytes);
  Reflect.set(workerThreads, "MessagePort", SimPort);
  Reflect.set(workerThreads, "MessageChannel", function channel() {
    return now().channel();
  });
  Reflect.set(
    workerThreads,
    "Worker",
    function worker(_start: URL, { name, workerData }: { name: string; workerData: { config: unknown } }) {
      return now().worker(name, workerData);
    },
  );
  syncBuiltinESMExports();
}
