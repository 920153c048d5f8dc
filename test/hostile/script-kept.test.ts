/** The kept files of runs are limited per run, in total and by age. The files here are sparse. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import { approvedRun, openLibrary } from "../actors/library.ts";

const mib = 1024 ** 2;

async function longFile(directory: string, bytes: number): Promise<string> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, "file");
  await writeFile(path, "");
  await truncate(path, bytes);
  return path;
}

const outcome = (files: string[]): RunProfileOutcome => ({
  status: "completed",
  error: null,
  result: null,
  output: [],
  log: [],
  files,
  launchMs: null,
  isolation: "lock",
});

test("a profile whose files would exceed its run's limit fails and keeps none", async (t) => {
  const { library } = await openLibrary(t);
  const { runId, profileIds } = await approvedRun(library, 3);
  const half = limits.runFilesBytesMax / 2;
  const ends: RunProfileOutcome[] = [];
  for (const [index, bytes] of [half, half + 1, half].entries()) {
    const profileId = profileIds[index] ?? "";
    const { scratchDir } = await library.beginRunProfile({ runId, profileId });
    const file = await longFile(scratchDir, bytes);
    ends.push(outcome([file]));
    await library.endRunProfile({ runId, profileId, outcome: outcome([file]) });
  }
  const { profiles: parts } = await library.runProfiles({ runId, offset: 0, limit: 10 });
  assert.deepEqual(
    parts.map(({ status, files }) => [status, files.filter((file) => existsSync(file)).length]),
    [
      ["completed", 1],
      ["failed", 0],
      ["completed", 1],
    ],
  );
  assert.match(parts[1]?.error ?? "", /more than 1024 MiB; those of this profile are not kept/);
  assert.equal(existsSync(ends[1]?.files[0] ?? ""), false);
});

test("files of ended runs are removed when they are old or too many, oldest first, and their runs record it", async (t) => {
  const { library, clock, dataDir } = await openLibrary(t);
  const runs: { runId: string; file: string }[] = [];
  const dayMs = 24 * 60 * 60_000;
  for (const days of [9, 2, 1]) {
    const { runId, profileIds } = await approvedRun(library, 1);
    const [profileId = ""] = profileIds;
    const { scratchDir } = await library.beginRunProfile({ runId, profileId });
    const file = await longFile(scratchDir, 3 * mib);
    await library.endRunProfile({ runId, profileId, outcome: outcome([file]) });
    await library.endRun({ runId, error: null });
    const at = new Date(clock.now() - days * dayMs);
    await utimes(join(dataDir, "runs", runId), at, at);
    runs.push({ runId, file });
  }
  const there = () => runs.map(({ file }) => existsSync(file));
  await library.maintain({});
  assert.deepEqual(there(), [true, true, true]);
  await library.changeSettings({ settings: { runFilesKeptDays: 5 } });
  await library.maintain({});
  assert.deepEqual(there(), [false, true, true]);
  await library.changeSettings({ settings: { runFilesMbMax: 4 } });
  await library.maintain({});
  assert.deepEqual(there(), [false, false, true]);
  const { profiles } = await library.runProfiles({ runId: runs[0]?.runId ?? "", offset: 0, limit: 1 });
  assert.deepEqual([profiles[0]?.status, profiles[0]?.files], ["completed", []]);
});
