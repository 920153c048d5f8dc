/** Fills a library with many profiles, runs and schedules, as years of use would. */
import { createHash, randomUUID } from "node:crypto";
import { systemClock } from "../actors/kernel/clock.ts";
import { createLibrary } from "../actors/library/library.ts";
import { timingShown } from "../actors/library/schedules.ts";
import type { Fingerprint } from "../protocol/fingerprint.ts";
import type { ScheduleTiming } from "../protocol/schedules.ts";
import { openStorage } from "../storage/storage.ts";
import { beginPart, endPart, insertParts } from "../storage/tables/run-profiles.ts";
import { closeRun, insertRun } from "../storage/tables/runs.ts";
import { insertSchedule } from "../storage/tables/schedules.ts";

export interface ScaleSizes {
  profiles: number;
  runs: number;
  schedules: number;
}

export interface Filled {
  scriptId: string;
  profileIds: string[];
}

const chunk = 1_000;
const dayMs = 86_400_000;

const device: Fingerprint = {
  screen: { width: 1920, height: 1080, devicePixelRatio: 1, colorDepth: 24, insetTop: 27, insetBottom: 0 },
  hardwareConcurrency: 8,
  gpu: null,
  architecture: "x86",
  bitness: "64",
  platformVersion: "",
};

export async function fillLibrary(dataDir: string, sizes: ScaleSizes): Promise<Filled> {
  const filled = await fillThroughLibrary(dataDir, sizes.profiles);
  const storage = await openStorage({ dataDir, warn: () => {} });
  const { database } = storage;
  const scheduleIds = Array.from({ length: sizes.schedules }, () => randomUUID());
  const now = Date.now();
  const inChunks = async (count: number, write: (sql: Writer, index: number) => void) => {
    for (let from = 0; from < count; from += chunk) {
      await database.write((sql) => {
        for (let index = from; index < Math.min(count, from + chunk); index += 1) write(sql, index);
      });
    }
  };
  await inChunks(sizes.schedules, (sql, index) =>
    insertOneSchedule(sql, filled, String(scheduleIds[index]), index, now),
  );
  await inChunks(sizes.runs, (sql, index) =>
    insertOneRun(sql, filled, scheduleIds[index % Math.max(1, scheduleIds.length)] ?? null, {
      index,
      startedAt: now - (sizes.runs - index) * 20_000,
    }),
  );
  await storage.close();
  return filled;
}

type Writer = Parameters<typeof insertRun>[0];

async function fillThroughLibrary(dataDir: string, profiles: number): Promise<Filled> {
  const library = await createLibrary({ dataDir, clock: systemClock });
  const profileIds: string[] = [];
  while (profileIds.length < profiles) {
    const { created } = await library.createProfiles({
      nameTemplate: `Profile ${profileIds.length} {n}`,
      os: "linux",
      tags: ["bench"],
      timezone: "Europe/Berlin",
      languages: ["de-DE", "de"],
      devices: Array.from({ length: Math.min(50, profiles - profileIds.length) }, () => device),
    });
    profileIds.push(...created.map((profile) => profile.profile_id));
  }
  const { scriptId } = await library.saveScript({
    name: "Round",
    source: 'export default async function run({ page }) { await page.goto("about:blank"); }',
    description: "",
    library: "playwright",
    scriptId: null,
  });
  await library.approveScript({ scriptId, sha256: null });
  await library.close({});
  return { scriptId, profileIds };
}

/** Spread over the next year, but not during the measurement. */
function insertOneSchedule(sql: Writer, filled: Filled, id: string, index: number, now: number): void {
  const timing: ScheduleTiming =
    index % 2 === 0
      ? { type: "daily", hour: index % 24, minute: index % 60 }
      : { type: "cron", expression: `${index % 60} ${index % 24} * * 1-5` };
  const stored = {
    id,
    name: `Schedule ${index}`,
    scriptId: filled.scriptId,
    profileIds: profilesFrom(filled, index, 3),
    timing,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    nextRun: new Date(now + dayMs + ((index * 7_919) % (365 * 1_440)) * 60_000).toISOString(),
    concurrency: 0,
    staggerMs: 0,
    lastRunId: null,
    createdAt: new Date(now - dayMs).toISOString(),
  };
  insertSchedule(sql, stored, timingShown(timing));
}

function insertOneRun(
  sql: Writer,
  filled: Filled,
  scheduleId: string | null,
  { index, startedAt }: { index: number; startedAt: number },
): void {
  const id = randomUUID();
  const profileIds = profilesFrom(filled, index, 1 + (index % 3));
  const at = new Date(startedAt).toISOString();
  const run = {
    id,
    status: "running",
    source: "schedule",
    scriptId: filled.scriptId,
    scheduleId,
    profileIds,
    profilesTotal: profileIds.length,
    profilesDone: profileIds.length,
    profilesFailed: 0,
    startedAt: at,
    completedAt: null,
    error: null,
  } as const;
  const scriptSha256 = createHash("sha256").update(String(index)).digest("hex");
  const driving = { headless: false, concurrency: 0, staggerMs: 0, placement: "local" } as const;
  insertRun(sql, { run, scriptSha256, ...driving, variablesSealed: null });
  insertParts(sql, id, profileIds);
  for (const profileId of profileIds) {
    beginPart(sql, id, profileId, at);
    endPart(sql, id, profileId, at, {
      status: "completed",
      error: null,
      result: { title: `Page ${index}`, items: index % 40 },
      output: [{ row: index }],
      log: [`opened page ${index}`, "done"],
      files: [],
      launchMs: 300,
      isolation: "namespaces",
    });
  }
  closeRun(sql, id, { status: "completed", at: new Date(startedAt + 9_000).toISOString(), error: null });
}

function profilesFrom({ profileIds }: Filled, index: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(profileIds[(index * 13 + at) % profileIds.length]));
}
