/** Files that scripts save with a run: limits per run and in total, and removal of old files. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import { forgetFiles } from "../../storage/tables/run-profiles.ts";
import { runsGoingOn } from "../../storage/tables/runs.ts";
import type { LibraryContext } from "./context.ts";
import { settingsNow } from "./settings.ts";

const mib = 1024 ** 2;
const dayMs = 24 * 60 * 60_000;

export function createRunFiles({ disk, dataDir }: Pick<LibraryContext, "disk" | "dataDir">) {
  /** Bytes by run and profile. Keyed by profile, because the end of a part may be reported twice. */
  const kept = new Map<string, Map<string, number>>();
  return {
    /** Returns the outcome to store. If the run would exceed its limit, removes the files and fails the part. */
    async admit(runId: string, profileId: string, outcome: RunProfileOutcome): Promise<RunProfileOutcome> {
      if (outcome.files.length === 0) return outcome;
      const sizes = await Promise.all(outcome.files.map(bytesOf));
      const parts = kept.get(runId) ?? new Map<string, number>();
      kept.set(runId, parts);
      parts.set(profileId, sum(sizes));
      if (sum([...parts.values()]) <= limits.runFilesBytesMax) return outcome;
      parts.delete(profileId);
      await disk.removeTree(dataDir.scratch(runId, profileId));
      const error = `the files of the run come to more than ${limits.runFilesBytesMax / mib} MiB; those of this profile are not kept`;
      return { ...outcome, status: "failed", error: outcome.error ?? error, files: [] };
    },
    forget: (runId: string) => void kept.delete(runId),
  };
}

export type RunFiles = ReturnType<typeof createRunFiles>;

export async function trimRunFiles(
  { database, disk, dataDir, clock }: LibraryContext,
  names: string[],
): Promise<void> {
  const { settings, going } = await database.read((sql) => ({
    settings: settingsNow(sql),
    going: new Set(runsGoingOn(sql).map(({ run }) => run.id)),
  }));
  const oldest = settings.runFilesKeptDays === 0 ? 0 : clock.now() - settings.runFilesKeptDays * dayMs;
  const most = settings.runFilesMbMax === 0 ? Number.POSITIVE_INFINITY : settings.runFilesMbMax * mib;
  const runs = [];
  for (const name of names)
    if (!going.has(name)) runs.push({ name, ...(await measured(join(dataDir.runs, name))) });
  let bytes = 0;
  for (const run of runs.sort((a, b) => b.changedAt - a.changedAt)) {
    bytes += run.bytes;
    if (bytes <= most && run.changedAt >= oldest) continue;
    await disk.removeTree(join(dataDir.runs, run.name));
    await database.write((sql) => forgetFiles(sql, run.name));
  }
}

async function measured(directory: string): Promise<{ bytes: number; changedAt: number }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries)
    bytes += entry.isFile() ? await bytesOf(join(entry.parentPath, entry.name)) : 0;
  const changedAt = await lstat(directory).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return { bytes, changedAt };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function bytesOf(path: string): Promise<number> {
  return lstat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
