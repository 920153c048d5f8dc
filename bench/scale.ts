/** Suite `scale`: a service with 10,000 profiles, 100,000 runs and 10,000 schedules, compared with an empty one. */
import type { Run } from "../protocol/records.ts";
import type { Schedule } from "../protocol/schedules.ts";
import { restLauncher } from "./launchers.ts";
import { type Filled, fillLibrary } from "./scale-data.ts";
import { type Rest, type Served, startServed, withDataDir } from "./served.ts";
import { announce, median, quantile, report, samplesTable } from "./table.ts";
import { type Kind, takeTurns } from "./taking-turns.ts";

const sizes = { profiles: 10_000, runs: 100_000, schedules: 10_000 };
const starts = 5;
const reads = 40;
const launches = 48;
const fired = 12;

const full = "with the full library";
const empty = "with an empty one";
const readKinds = {
  profiles: "GET /v1/profiles",
  runs: "GET /v1/runs?limit=100",
  runsOfSchedule: "GET /v1/runs?schedule_id=",
  schedules: "GET /v1/schedules",
} as const;

export async function runScaleSuite(): Promise<void> {
  const conditions = announce(
    "scale",
    `${sizes.profiles} profiles, ${sizes.runs} runs, ${sizes.schedules} schedules; ${starts} starts, ${launches} launches of each`,
  );
  await withDataDir((fullDir) =>
    withDataDir(async (emptyDir) => {
      // The remaining schedules are created for the firing measurement; the plan allows no more.
      const filled = await fillLibrary(fullDir, { ...sizes, schedules: sizes.schedules - fired });
      const few = await fillLibrary(emptyDir, { profiles: launches + 1, runs: 0, schedules: 0 });
      const ready = await startsInTurn(fullDir, emptyDir);
      const [big, small] = [await startServed(fullDir), await startServed(emptyDir)];
      try {
        const samples = await whileServed(big.served, small.served, filled, few);
        summarize({ ready, ...samples }, conditions);
      } finally {
        await Promise.all([big.end(), small.end()]);
      }
    }),
  );
}

async function startsInTurn(fullDir: string, emptyDir: string): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>([
    [empty, []],
    [full, []],
  ]);
  // Skip the first start of each, which fills caches.
  for (let round = -1; round < starts; round += 1) {
    for (const [name, dir] of [
      [empty, emptyDir],
      [full, fullDir],
    ] as const) {
      const { readyMs, end } = await startServed(dir);
      await end();
      if (round >= 0) samples.get(name)?.push(readyMs);
    }
  }
  return samples;
}

async function whileServed(big: Served, small: Served, filled: Filled, few: Filled) {
  const listed = await big.rest.get<Schedule[]>("/v1/schedules");
  const ofSchedule = `/v1/runs?schedule_id=${listed[7]?.id}`;
  const read = (name: string, path: string): Kind => ({ name, run: () => big.rest.get(path) });
  const reading = await takeTurns(
    [
      read(readKinds.profiles, "/v1/profiles"),
      read(readKinds.runs, "/v1/runs?limit=100"),
      read(readKinds.runsOfSchedule, ofSchedule),
      read(readKinds.schedules, "/v1/schedules"),
    ],
    reads,
  );
  const launching = await takeTurns(
    [
      launchKind(empty, small, few.profileIds),
      launchKind(full, big, filled.profileIds.slice(0, launches + 1)),
    ],
    launches,
  );
  return { reading, launching, late: await lateness(big.rest, filled) };
}

/** Waits for rest, because one service's work after a launch must not disturb the other's launch. */
function launchKind(name: string, { rest, atRest }: Served, profileIds: string[]): Kind {
  const launcher = restLauncher(rest, [...profileIds]);
  const after = async () => {
    await launcher.stop();
    await atRest();
  };
  return { name, run: () => launcher.launch(), after };
}

/** Milliseconds from each due time to its run's start, while browsers of earlier runs are busy. */
async function lateness(rest: Rest, { scriptId, profileIds }: Filled): Promise<number[]> {
  const first = Date.now() + 1_500;
  const schedules: Schedule[] = [];
  for (let index = 0; index < fired; index += 1) {
    schedules.push(
      await rest.post<Schedule>("/v1/schedules", {
        name: `Once ${index}`,
        schedule_type: "once",
        script_id: scriptId,
        profile_ids: [profileIds[5_000 + index]],
        run_at: new Date(first + index * 333).toISOString(),
      }),
    );
  }
  const late: number[] = [];
  for (const { id, nextRun } of schedules) {
    let run: Run | undefined;
    while (run === undefined || run.completedAt === null) {
      [run] = await rest.get<Run[]>(`/v1/runs?schedule_id=${id}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    late.push(Date.parse(run.startedAt) - Date.parse(String(nextRun)));
  }
  return late;
}

interface Samples {
  ready: Map<string, number[]>;
  reading: Map<string, number[]>;
  launching: Map<string, number[]>;
  late: number[];
}

function summarize({ ready, reading, launching, late }: Samples, conditions: object): void {
  const of = (samples: Map<string, number[]>, name: string) => median(samples.get(name) ?? []);
  const lateTable = `fired late by ms: ${[...late].sort((a, b) => a - b).join(" ")}`;
  report(
    "scale",
    [
      `start-up\n${samplesTable(ready, empty, 0)}`,
      samplesTable(reading, readKinds.profiles, 1),
      `launch\n${samplesTable(launching, empty, 1)}`,
      lateTable,
    ].join("\n\n"),
    [
      { what: "start-up with the full library, ms", figure: of(ready, full), limit: 2_000 },
      { what: "GET /v1/profiles, ms", figure: of(reading, readKinds.profiles), limit: 60 },
      { what: "GET /v1/runs, ms", figure: of(reading, readKinds.runs), limit: 5 },
      { what: "GET /v1/runs of a schedule, ms", figure: of(reading, readKinds.runsOfSchedule), limit: 5 },
      {
        what: "launch over one on an empty library",
        figure: of(launching, full) / of(launching, empty),
        limit: 1.05,
      },
      { what: "schedules fired late, p95 ms", figure: quantile(late, 0.95), limit: 50 },
    ],
    {
      ...conditions,
      ready: Object.fromEntries(ready),
      reading: Object.fromEntries(reading),
      launching: Object.fromEntries(launching),
      late,
    },
  );
}
