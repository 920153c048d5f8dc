/** What users do, one random call after another; each says what it changes. */

import { closeIfGone, launchable } from "../../gateway/actors.ts";
import type { RunRequest } from "../../protocol/messages/runs.ts";
import type { NewSchedule } from "../../protocol/messages/schedules.ts";
import { plainDevices } from "../actors/devices.ts";
import { absent } from "./facts.ts";
import type { World } from "./world.ts";

type Move = (world: World) => void;

const profiles = ({ facts }: World) => facts.keysOf("profile ", "there");
const trashed = ({ facts }: World) => facts.keysOf("profile ", "trashed");
const schedules = ({ facts }: World) => facts.keysOf("schedule ", "on");

const createProfiles: Move = (world) => {
  const devices = plainDevices(world.chance.between(1, 2));
  const asked = {
    nameTemplate: "P {n}",
    os: "linux",
    tags: [],
    timezone: "UTC",
    languages: [],
    devices,
  } as const;
  world.call(
    "create profiles",
    ({ library }) => library.createProfiles({ ...asked, tags: [], languages: [] }),
    {
      done: ({ created }) => {
        for (const { profile_id } of created) world.facts.know(`profile ${profile_id}`, "there");
      },
    },
  );
};

const launch: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined) return;
  const idleTimeoutSecs = world.chance.is(0.3) ? 20 : 0;
  world.call(
    `launch ${profileId}`,
    async (actors) => {
      const { spec } = await launchable(actors.library, profileId);
      const options = { diagnostic: false, headless: true, idleTimeoutSecs };
      const launched = await actors.pool.launch({ spec, options, wait: false, warmRunner: null });
      void closeIfGone(actors, profileId, launched.diagnostic);
    },
    { deadlineMs: 11 * 60_000, done: () => void world.opened.add(profileId) },
  );
};

const stop: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined) return;
  world.call(`stop ${profileId}`, ({ pool }) => pool.stop({ profileId }), { deadlineMs: 60_000 });
};

const saveScript: Move = (world) => {
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

const run =
  (batch: boolean): Move =>
  (world) => {
    const request = runRequest(world, batch);
    if (request === null) return;
    world.call("start a run", ({ runs }) => runs.start(request), {
      done: ({ id }) => world.facts.know(`run ${id}`, "there"),
    });
  };

const cancel: Move = (world) => {
  const runId = world.chance.of(world.facts.keysOf("run ", "there"));
  if (runId === undefined) return;
  world.call(`cancel ${runId}`, ({ runs }) => runs.cancel({ runId }));
};

const readRun: Move = (world) => {
  const runId = world.chance.of(world.facts.keysOf("run ", "there"));
  if (runId === undefined) return;
  world.call(`read ${runId}`, ({ library }) => library.readRun({ runId }), {
    done: ({ status }) => {
      if (status !== "running") world.facts.know(`ended ${runId}`, status);
    },
  });
};

function timing({ chance, timeline }: World): NewSchedule["timing"] {
  const soon = () => new Date(timeline.wall + chance.between(2_000, 90_000)).toISOString();
  const kinds: NewSchedule["timing"][] = [
    { type: "once", runAt: soon() },
    { type: "interval", count: chance.between(1, 2), unit: "minutes" },
    { type: "cron", expression: "* * * * *" },
    { type: "daily", hour: chance.between(0, 23), minute: chance.between(0, 59) },
  ];
  return chance.of(kinds) ?? { type: "once", runAt: soon() };
}

const createSchedule: Move = (world) => {
  const { chance, facts } = world;
  const scriptId = chance.of([...world.scripts]);
  const profileIds = chance.some(profiles(world), 2);
  if (scriptId === undefined || profileIds.length === 0 || schedules(world).length > 4) return;
  const asked: NewSchedule = {
    name: "S",
    scriptId,
    profileIds,
    enabled: chance.is(0.8),
    concurrency: 0,
    staggerMs: 0,
    timing: timing(world),
  };
  world.call("create a schedule", ({ scheduler }) => scheduler.create(asked), {
    // One that runs once may be off by now.
    done: ({ id }) => facts.know(`schedule ${id}`, "on", "off"),
  });
};

const turnSchedule: Move = (world) => {
  const scheduleId = world.chance.of(schedules(world));
  if (scheduleId === undefined) return;
  const enabled = world.chance.is(0.6);
  world.dueTimes.turned(scheduleId);
  world.call(`turn schedule ${scheduleId} ${enabled ? "on" : "off"}`, ({ scheduler }) =>
    scheduler.setEnabled({ scheduleId, enabled }),
  );
};

const runNow: Move = (world) => {
  const scheduleId = world.chance.of(schedules(world));
  if (scheduleId === undefined) return;
  world.dueTimes.runAsked(scheduleId);
  world.call(`run schedule ${scheduleId} now`, ({ scheduler }) => scheduler.runNow({ scheduleId }), {
    done: ({ id }) => world.facts.know(`run ${id}`, "there"),
  });
};

const deleteSchedule: Move = (world) => {
  const scheduleId = world.chance.of(schedules(world));
  if (scheduleId === undefined) return;
  world.call(`delete schedule ${scheduleId}`, ({ library }) => library.deleteSchedule({ scheduleId }), {
    changes: [[`schedule ${scheduleId}`, absent]],
  });
};

/** Rows that say which they are, and of which dataset: a number that no other has. */
function rowsOf(dataset: string, { chance }: World): { tag: string }[] {
  return Array.from({ length: chance.between(1, 5) }, () => ({
    tag: `${dataset}/${chance.between(0, 1e9)}`,
  }));
}

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const rowFacts = (rows: readonly { tag: string }[]) =>
  rows.map(({ tag }): [string, string] => [`row ${tag}`, "there"]);

const createDataset: Move = (world) => {
  const { chance } = world;
  const mode = chance.is(0.75) ? "consume" : "fixed";
  const name = `d${chance.between(0, 1e9)}`;
  const rows = rowsOf(name, world);
  const asked = {
    name,
    mode,
    columns: [{ name: "tag" }],
    rowsPerRun: mode === "consume" ? chance.between(1, 2) : null,
  } as const;
  world.call(
    "create a dataset",
    ({ library }) => library.createDataset({ ...asked, columns: [{ name: "tag" }], rows: bytes(rows) }),
    { changes: rowFacts(rows), done: ({ dataset }) => void world.datasets.set(dataset.id, { name, mode }) },
  );
};

function datasetOf(
  { chance, datasets }: World,
  mode?: "consume",
): { datasetId: string; name: string } | undefined {
  const all = [...datasets].filter(([, dataset]) => mode === undefined || dataset.mode === mode);
  const [datasetId, dataset] = chance.of(all) ?? [];
  return datasetId === undefined || dataset === undefined ? undefined : { datasetId, name: dataset.name };
}

const appendRows: Move = (world) => {
  const found = datasetOf(world);
  if (found === undefined) return;
  const rows = rowsOf(found.name, world);
  const { datasetId } = found;
  world.call(
    `append to ${datasetId}`,
    ({ library }) => library.appendRows({ datasetId, rows: bytes(rows) }),
    {
      changes: rowFacts(rows),
    },
  );
};

const assign: Move = (world) => {
  const { chance } = world;
  const found = datasetOf(world);
  const profileIds = chance.some(profiles(world), 4);
  if (found === undefined || profileIds.length === 0) return;
  const { datasetId } = found;
  const force = chance.is(0.5);
  if (chance.is(0.75))
    world.call(`assign ${datasetId}`, ({ library }) =>
      library.assignDataset({ datasetId, profileIds, force }),
    );
  else
    world.call(`unassign ${datasetId}`, ({ library }) => library.unassignDataset({ datasetId, profileIds }));
};

const resetDataset: Move = (world) => {
  const found = datasetOf(world, "consume");
  if (found === undefined) return;
  const { datasetId, name } = found;
  world.resetDatasets.add(name);
  world.call(`reset ${datasetId}`, ({ library }) => library.resetDataset({ datasetId }));
};

const trash: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined || profiles(world).length < 3) return;
  const profileIds = [profileId];
  world.call(
    `trash ${profileId}`,
    async ({ library, pool }) => {
      await library.trashProfiles({ profileIds });
      await pool.cancelWait({ profileId });
      await pool.stop({ profileId });
    },
    { changes: [[`profile ${profileId}`, "trashed"]], deadlineMs: 120_000 },
  );
};

const outOfTrash: Move = (world) => {
  const profileId = world.chance.of(trashed(world));
  if (profileId === undefined) return;
  const profileIds = [profileId];
  if (world.chance.is(0.5))
    world.call(`restore ${profileId}`, ({ library }) => library.restoreProfiles({ profileIds }), {
      changes: [[`profile ${profileId}`, "there"]],
    });
  else
    world.call(`delete ${profileId}`, ({ library }) => library.deleteForGood({ profileIds }), {
      changes: [
        [`profile ${profileId}`, absent],
        [`variables ${profileId}`, absent],
      ],
    });
};

const changeSettings: Move = (world) => {
  const { chance } = world;
  const max = chance.between(1, 4);
  const timeoutMs = chance.between(5, 60) * 1_000;
  world.call(
    "change settings",
    async ({ library, setMax }) => {
      await library.changeSettings({ settings: { browsersMax: max, runProfileTimeoutMs: timeoutMs } });
      await setMax(max);
    },
    {
      changes: [
        ["setting browsersMax", String(max)],
        ["setting runProfileTimeoutMs", String(timeoutMs)],
      ],
      deadlineMs: 60_000,
    },
  );
};

const setVariables: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined) return;
  const name = `v${world.chance.between(1, 1e6)}`;
  world.call(
    "set variables",
    ({ library }) => library.setVariables({ profileId, variables: { [name]: "x" } }),
    {
      changes: [[`variables ${profileId}`, name]],
    },
  );
};

const tokens: Move = (world) => {
  const name = `token ${world.chance.between(1, 6)}`;
  if (world.chance.is(0.6))
    world.call(`mint ${name}`, ({ library }) => library.mintToken({ name, access: "read" }), {
      changes: [[`token ${name}`, "there"]],
    });
  else
    world.call(`revoke ${name}`, ({ library }) => library.revokeToken({ name }), {
      changes: [[`token ${name}`, absent]],
    });
};

const maintain: Move = (world) =>
  world.call("housekeeping", ({ library }) => library.maintain({}), { deadlineMs: 60_000 });

/** Each with how often it is done, beside the others. */
export const moves: readonly [number, Move][] = [
  [3, createProfiles],
  [6, launch],
  [4, stop],
  [3, saveScript],
  [8, run(false)],
  [6, run(true)],
  [3, cancel],
  [5, readRun],
  [3, createSchedule],
  [2, turnSchedule],
  [2, runNow],
  [1, deleteSchedule],
  [3, createDataset],
  [3, appendRows],
  [5, assign],
  [1, resetDataset],
  [2, trash],
  [2, outOfTrash],
  [2, changeSettings],
  [2, setVariables],
  [3, tokens],
  [1, maintain],
];
