/** Faults: crashes, failing browsers, a failing drive and a jumping clock. */
import { goodManners, type Manners } from "./manners.ts";
import type { World } from "./world.ts";

type FaultMove = (world: World) => void | Promise<void>;

const badManners = ({ chance }: World): Manners => ({
  launchMs: chance.of([50, 400, 3_000]) ?? 400,
  slowLaunches: chance.of([0, 0.1, 0.5]) ?? 0,
  failingLaunches: chance.of([0, 0.1, 0.5]) ?? 0,
  hungLaunches: chance.of([0, 0.1, 0.3]) ?? 0,
  crashes: chance.of([0, 0.2, 0.8]) ?? 0,
  scriptMs: chance.of([50, 2_000, 20_000]) ?? 2_000,
});

const anActor = ({ chance }: World) =>
  chance.of(["library", "pool", "operations", "runs", "scheduler", "profile"]) ?? "library";

const crash: FaultMove = (world) => world.crash(anActor(world));

const crashAtMessage: FaultMove = (world) => {
  world.crashIn = world.chance.between(1, 60);
};

const browserCrash: FaultMove = (world) => {
  world.note("a browser crashes");
  world.chance.of(world.browsers.alive)?.crash();
};

const changeManners: FaultMove = (world) => {
  world.browsers.manners = world.chance.is(0.3) ? goodManners : badManners(world);
};

const busy: FaultMove = (world) => {
  world.latencyMs = world.chance.of([0.2, 2, 40]) ?? 0.2;
  world.drive.syncMs = world.chance.of([1, 10, 300]) ?? 1;
};

const failSync: FaultMove = (world) => {
  world.note("the next sync fails");
  world.drive.failingSyncs = world.chance.between(1, 2);
};

const fillDisk: FaultMove = (world) => {
  world.drive.full = !world.drive.full;
  world.note(`the drive ${world.drive.full ? "is full" : "has room"}`);
};

const powerCut: FaultMove = async (world) => {
  world.note("power cut");
  world.cutPower();
  await world.advance(world.chance.span(20_000));
  world.start();
};

const kill: FaultMove = async (world) => {
  world.note("kill -9");
  world.kill();
  await world.advance(world.chance.span(3_000));
  world.start();
};

const restart: FaultMove = async (world) => {
  world.note("clean restart");
  await world.stop();
  await world.advance(world.chance.is(0.2) ? world.chance.span(600_000) : world.chance.span(3_000));
  world.start();
};

const setClock: FaultMove = (world) => {
  const { chance } = world;
  const ms =
    chance.of([
      chance.between(-5_000, 5_000),
      chance.between(0, 86_400_000),
      chance.between(-86_400_000, 0),
    ]) ?? 0;
  world.note(`the clock is set by ${ms} ms`);
  if (ms < -3_000_000) world.dueTimes.clockSetBack();
  world.timeline.setWall(ms);
};

const freeze: FaultMove = (world) => {
  const ms = world.chance.between(100, 60_000);
  world.note(`frozen for ${ms} ms`);
  world.freeze(ms);
};

export const faults: readonly [number, FaultMove][] = [
  [4, crash],
  [6, crashAtMessage],
  [3, browserCrash],
  [3, changeManners],
  [2, busy],
  [2, failSync],
  [2, fillDisk],
  [3, powerCut],
  [2, kill],
  [2, restart],
  [2, setClock],
  [1, freeze],
];
