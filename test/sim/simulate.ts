/** One simulation: its seed decides what happens, and every step is checked. */

import { readCapacity } from "../../protocol/capacity-word.ts";
import { type Beginning, nothing } from "./beginning.ts";
import { createChance } from "./chance.ts";
import { faults } from "./faults.ts";
import { goodManners } from "./manners.ts";
import { moves } from "./moves.ts";
import { settled } from "./platform.ts";
import { Violation } from "./watch.ts";
import { World } from "./world.ts";

export interface Outcome {
  seed: number;
  wrong: string | null;
  step: number;
  digest: string;
  trace: string[];
}

const restHours = 1;

export async function simulate(seed: number, beginning: Beginning): Promise<Outcome> {
  const chance = createChance(seed);
  const world = new World(chance, chance.is(0.1) ? nothing : beginning);
  const rejected = (reason: unknown) => {
    if (!world.timeline.life.over) unheard ??= reason;
  };
  let unheard: unknown = null;
  process.on("unhandledRejection", rejected);
  let wrong: string | null = null;
  try {
    await live(world);
    await rest(world);
    if (unheard !== null) throw unheard;
  } catch (error) {
    wrong =
      error instanceof Violation
        ? error.message
        : error instanceof Error
          ? String(error.stack)
          : String(error);
  } finally {
    process.off("unhandledRejection", rejected);
    world.threads.endAll();
    world.kill();
    await settled(); // Its last promises must not run in the next simulation.
  }
  const { digest, count, lines } = world.trace;
  return { seed, wrong, step: count, digest, trace: lines };
}

async function live(world: World): Promise<void> {
  const { chance } = world;
  const faulty = chance.of([0, 0.1, 0.25]) ?? 0;
  world.start();
  await world.advance(3_000);
  for (let left = chance.between(20, 60); left > 0; left -= 1) {
    const [what] = pick(world, chance.is(faulty) ? faults : moves);
    await what?.(world);
    await world.advance(chance.is(0.1) ? chance.span(60_000) : chance.span(700));
    world.start();
  }
}

function pick<Move>({ chance }: World, all: readonly (readonly [number, Move])[]): [Move] | [] {
  let at = chance.next() * all.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, move] of all) {
    at -= weight;
    if (at < 0) return [move];
  }
  return [];
}

function neverEnds(world: World, runId: string): string {
  const parts: unknown[] = [];
  world.watch.look((sql) => {
    parts.push(...sql.all("SELECT profile_id, status, error FROM run_profiles WHERE run_id = ?", [runId]));
  });
  const slots = world.troupe === null ? null : readCapacity(world.troupe.capacityWord);
  return `run ${runId} does not end; its parts are ${JSON.stringify(parts)}, slots ${JSON.stringify(slots)}`;
}

/** The phase without faults: everything started ends, and a last restart finds everything acknowledged. */
async function rest(world: World): Promise<void> {
  const { drive, browsers, timeline, chance } = world;
  world.note("rest");
  Object.assign(drive, { full: false, failingSyncs: 0, syncMs: 1 });
  browsers.manners = goodManners;
  world.latencyMs = 0.2;
  world.crashIn = null;
  world.start();
  const begun = new Set<string>();
  const until = timeline.now + restHours * 3_600_000;
  await world.advance(5_000);
  while (
    !world.watch.look((sql) => {
      for (const row of sql.all("SELECT id FROM runs WHERE status = 'running'")) begun.add(String(row.id));
    })
  ) {
    if (timeline.now > until) throw new Violation("the library does not open");
    world.start();
    // After a full disk, only a write makes the library try again.
    world.call("write", ({ library }) => library.changeSettings({ settings: { idleTimeoutSecs: 60 } }));
    await world.advance(1_000);
  }
  for (;;) {
    let open: string | null = null;
    world.watch.look((sql) => {
      const running = sql.all("SELECT id FROM runs WHERE status = 'running'").map((row) => String(row.id));
      open = running.find((id) => begun.has(id)) ?? null;
    });
    if (open === null && world.calls.size === 0) break;
    for (const profileId of world.opened)
      world.call(`close ${profileId}`, ({ pool }) => pool.stop({ profileId }), { deadlineMs: 60_000 });
    world.opened.clear();
    if (timeline.now > until)
      throw new Violation(open === null ? "a call does not end" : neverEnds(world, open));
    await world.advance(1_000);
  }
  await world.advance(3_000);
  world.watch.look((sql) => {
    const late = world.dueTimes.overdue(sql, timeline.wall, 5_000);
    if (late !== null) throw new Violation(late);
  });
  world.watch.checkFacts();
  const unstopped = chance.is(0.5) ? await world.stop() : world.cutPower();
  if (typeof unstopped === "string") throw new Violation(unstopped);
  await world.advance(1_000);
  if (browsers.alive.length > 0) throw new Violation(`${browsers.alive.length} browsers outlive the service`);
  world.start();
  await world.advance(3_000);
  if (!world.watch.look(() => {})) throw new Violation("the library does not open again");
}
