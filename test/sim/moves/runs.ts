/** User calls on scripts and their runs. */
import type { RunRequest } from "../../../protocol/messages/runs.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";
import { profiles } from "./profiles.ts";

export const saveScript: Move = (world) => {
  const { chance, facts } = world;
  const scriptId = chance.is(0.3) ? (chance.of([...world.scripts]) ?? null) : null;
  const source = `export default () => ${chance.between(0, 1e9)}`;
  const changes: [string, string][] = scriptId === null ? [] : [[`script ${scriptId}`, source]];
  world.call(
    "save and approve a script",
    async ({ library }) => {
      const saved = await library.saveScript({
        name: "S",
        source,
        description: "",
        library: "puppeteer",
        scriptId,
      });
      await library.approveScript({ scriptId: saved.scriptId, sha256: null });
      return saved.scriptId;
    },
    {
      changes,
      deadlineMs: 60_000,
      done: (id) => {
        if (scriptId === null) facts.know(`script ${id}`, source);
        world.scripts.add(id);
      },
    },
  );
};

function runRequest(world: World, batch: boolean): RunRequest | null {
  const { chance } = world;
  const scriptId = chance.of([...world.scripts]);
  const profileIds = chance.some(profiles(world), batch ? 6 : 3);
  if (scriptId === undefined || profileIds.length === 0) return null;
  const idempotency = chance.is(0.2) ? { tokenName: "t", key: `key ${chance.between(1, 5)}` } : null;
  return {
    scriptId,
    profileIds,
    variables: chance.is(0.3) ? { word: "secret" } : {},
    headless: true,
    batch,
    concurrency: chance.between(0, 3),
    staggerMs: chance.is(0.2) ? chance.between(1, 3_000) : 0,
    source: null,
    scheduleId: null,
    ...(idempotency === null ? {} : { idempotency }),
  };
}

export const run =
  (batch: boolean): Move =>
  (world) => {
    const request = runRequest(world, batch);
    if (request === null) return;
    world.call("start a run", ({ runs }) => runs.start(request), {
      done: ({ id }) => world.facts.know(`run ${id}`, "there"),
    });
  };

export const cancel: Move = (world) => {
  const runId = world.chance.of(world.facts.keysOf("run ", "there"));
  if (runId === undefined) return;
  world.call(`cancel ${runId}`, ({ runs }) => runs.cancel({ runId }));
};

export const readRun: Move = (world) => {
  const runId = world.chance.of(world.facts.keysOf("run ", "there"));
  if (runId === undefined) return;
  world.call(`read ${runId}`, ({ library }) => library.readRun({ runId }), {
    done: ({ status }) => {
      if (status !== "running") world.facts.know(`ended ${runId}`, status);
    },
  });
};
