/** What the harness does to a fleet, one fault at a time. A worker and its guard are never stopped at once, which is a stated limit. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { eventually, type Fleet, type FleetWorker } from "./fleet.ts";
import type { Link } from "./links.ts";
import type { Wires } from "./wires.ts";

export interface Fault {
  where: string;
  /** Until it has had its effect, or long enough. */
  lasts(): Promise<void>;
  heal(): Promise<void>;
}

export interface FaultMaker {
  name: string;
  begin(): Promise<Fault>;
}

/** Shorter than the guard's patience, longer than it, and longer than others wait for the worker. */
const holdsMs = [6_000, 26_000, 75_000] as const;
const fakeTime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const anHourAhead = { LD_PRELOAD: fakeTime, FAKETIME: "+3600s", FAKETIME_DONT_FAKE_MONOTONIC: "1" };

/** A worker whose guard does not kill it is continued after this: others have its profiles open by then. */
const stoppedMs = 150_000;
const aimMs = 10_000;
const aimLookMs = 20;

const nothing = async () => {};
const none: Fault = { where: "", lasts: nothing, heal: nothing };
const held = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

function signal(pid: number | null, name: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // Its guard has killed it.
  }
}

const isAlive = (pid: number | null) => pid !== null && existsSync(`/proc/${pid}`);

function stopped(where: string, pid: number | null, ms: number): Fault {
  signal(pid, "SIGSTOP");
  return {
    where: ms === 0 ? where : `${where}, for ${ms / 1000} s`,
    lasts: () => held(ms),
    heal: async () => signal(pid, "SIGCONT"),
  };
}

function cut(where: string, link: Link, ms: number, how: "cut" | "hang" = "cut"): Fault {
  link[how]();
  return {
    where: `${where}, for ${ms / 1000} s`,
    lasts: () => held(ms),
    heal: async () => link.heal(),
  };
}

const oneOf = <T>(items: readonly T[], random: () => number): T => {
  const item = items[Math.floor(random() * items.length)];
  assert.ok(item !== undefined);
  return item;
};

/** The first eight are those of the short form. */
export function faultMakers(fleet: Fleet, wires: Wires, random: () => number): FaultMaker[] {
  /** One that runs. */
  const someone = async (): Promise<FleetWorker> => {
    const ready = () => fleet.workers.filter((worker) => worker.servicePid() !== null);
    await eventually("a worker runs", () => ready().length > 0);
    return oneOf(ready(), random);
  };
  const [killed, cutOff, hung, stopped, cutOffFromStore] = ofWorkers(fleet, wires, someone, random);
  const [guardKilled, guardStopped] = ofGuards(someone, random);
  const [headKilled, headCutOff, headStopped, headCutOffFromStore] = ofTheHead(fleet, wires, random);
  const [postgresAgain, storeFails] = ofServers(fleet, wires);
  const clock = existsSync(fakeTime) ? clockFault(fleet, someone) : null;
  const makers = [
    ...[killed, cutOff, hung, guardKilled, headKilled, postgresAgain, storeFails, stopped],
    ...[headCutOff, guardStopped, headStopped, cutOffFromStore, headCutOffFromStore, clock],
  ];
  return makers.filter((maker) => maker != null);
}

function ofWorkers(
  fleet: Fleet,
  wires: Wires,
  someone: () => Promise<FleetWorker>,
  random: () => number,
): FaultMaker[] {
  const among = async (names: () => Promise<string[]>): Promise<FleetWorker> => {
    const startedAt = performance.now();
    while (performance.now() - startedAt < aimMs) {
      const known = await names();
      const found = fleet.workers.find(({ name }) => known.includes(name));
      if (found !== undefined) return found;
      await held(aimLookMs);
    }
    return someone();
  };
  /** Each returns any worker after a while. The first is about to store a profile, so that its release comes late; the other shows a page. */
  const someoneKeeping = () => among(() => fleet.keeping());
  const someoneOnTheSite = () =>
    among(async () => {
      const open = fleet.site.openNow();
      const { workers } = await fleet.status();
      return workers
        .filter(({ running }) => running.some(({ profile_id }) => open.includes(profile_id)))
        .map(({ name }) => name);
    });
  return [
    {
      name: "a worker is killed",
      async begin() {
        const worker = await someone();
        signal(worker.servicePid(), "SIGKILL");
        return { where: worker.name, lasts: nothing, heal: nothing };
      },
    },
    {
      name: "a worker is cut off from PostgreSQL",
      async begin() {
        const { name } = await someoneKeeping();
        return cut(name, wires.links(name).postgres, 75_000);
      },
    },
    {
      // It opens others, and works on; what it sent before comes late.
      name: "a worker's connections to PostgreSQL hang",
      async begin() {
        const { name } = await someoneKeeping();
        return cut(name, wires.links(name).postgres, 16_000, "hang");
      },
    },
    {
      name: "a worker is stopped",
      async begin() {
        const worker = await someoneOnTheSite();
        const pid = worker.servicePid();
        const startedAt = performance.now();
        const over = () => !isAlive(pid) || performance.now() - startedAt > stoppedMs;
        const lasts = () => eventually("its guard has killed it", over);
        return { ...stopped(worker.name, pid, 0), lasts };
      },
    },
    {
      name: "a worker is cut off from the store",
      async begin() {
        const { name } = await someone();
        const { store } = wires.links(name);
        return store === null ? none : cut(name, store, oneOf(holdsMs, random));
      },
    },
  ];
}

function ofGuards(someone: () => Promise<FleetWorker>, random: () => number): FaultMaker[] {
  return [
    {
      name: "a guard is killed",
      async begin() {
        const worker = await someone();
        const pid = worker.servicePid();
        worker.guard.kill("SIGKILL");
        const lasts = () => eventually("its service has ended", () => !isAlive(pid));
        return { where: worker.name, lasts, heal: async () => worker.start() };
      },
    },
    {
      name: "a guard is stopped",
      async begin() {
        const { name, guard } = await someone();
        return stopped(name, guard.pid ?? null, oneOf([6_000, 15_000], random));
      },
    },
  ];
}

function ofTheHead(fleet: Fleet, wires: Wires, random: () => number): FaultMaker[] {
  const short = holdsMs.slice(0, 2);
  return [
    {
      name: "the head is killed",
      async begin() {
        await fleet.restartHead();
        return none;
      },
    },
    {
      name: "the head is cut off from PostgreSQL",
      begin: async () => cut("", wires.links("head").postgres, oneOf(short, random)),
    },
    {
      name: "the head is stopped",
      begin: async () => stopped("", fleet.head.pid, oneOf(short, random)),
    },
    {
      name: "the head is cut off from the store",
      async begin() {
        const { store } = wires.links("head");
        return store === null ? none : cut("", store, oneOf(short, random));
      },
    },
  ];
}

function ofServers(fleet: Fleet, wires: Wires): FaultMaker[] {
  return [
    {
      name: "PostgreSQL is started again",
      async begin() {
        await fleet.postgres.stop();
        return { where: "", lasts: () => held(3_000), heal: () => fleet.postgres.start() };
      },
    },
    {
      name: "the store fails",
      async begin() {
        await wires.failStore(true);
        return { where: "", lasts: () => held(6_000), heal: () => wires.failStore(false) };
      },
    },
  ];
}

/** It claims nothing while it has another time. */
function clockFault(fleet: Fleet, someone: () => Promise<FleetWorker>): FaultMaker {
  const restart = async (worker: FleetWorker, env: NodeJS.ProcessEnv) => {
    const { guard } = worker;
    if (guard.exitCode === null && guard.signalCode === null) {
      guard.kill("SIGTERM");
      await once(guard, "exit");
    }
    worker.start(env);
  };
  return {
    name: "a worker's clock is an hour ahead",
    async begin() {
      const worker = await someone();
      await restart(worker, anHourAhead);
      const known = async () => (await fleet.status()).workers.find(({ name }) => name === worker.name);
      return {
        where: worker.name,
        async lasts() {
          await eventually("it says so", async () => /3600 s ahead/.test((await known())?.state ?? ""));
          assert.equal((await known())?.holds, 0, "it claims nothing");
        },
        heal: () => restart(worker, {}),
      };
    },
  };
}
