/** A library in a temporary directory with a manual clock, for tests. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLibrary, type Library } from "../../actors/library/library.ts";
import type { LibraryApi, NewProfiles } from "../../protocol/messages/library.ts";
import type { Profile } from "../../protocol/records.ts";
import { nothingDone } from "../../protocol/run-outcomes.ts";
import { plainDevices } from "./devices.ts";

export interface TestLibrary {
  library: Library;
  clock: ManualClock;
  dataDir: string;
  reopen(): Promise<Library>;
}

export async function openLibrary(
  t: TestContext,
  options: { runsKeptMin?: number } = {},
): Promise<TestLibrary> {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-library-"));
  const clock = new ManualClock();
  let library = await createLibrary({ dataDir, clock, ...options });
  t.after(async () => {
    await library.close({});
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    library,
    clock,
    dataDir,
    async reopen() {
      await library.close({});
      library = await createLibrary({ dataDir, clock, ...options });
      return library;
    },
  };
}

export async function createProfiles(
  library: LibraryApi,
  count: number,
  nameTemplate = "Profile {n}",
  changes: Partial<NewProfiles> = {},
): Promise<string[]> {
  const { created } = await library.createProfiles({
    nameTemplate,
    os: "linux",
    tags: [],
    timezone: "Europe/Berlin",
    languages: [],
    devices: plainDevices(count),
    ...changes,
  });
  return created.map((profile) => profile.profile_id);
}

export async function listProfiles(
  library: LibraryApi,
  live: Parameters<LibraryApi["listProfiles"]>[0]["live"] = [],
): Promise<Profile[]> {
  const { json } = await library.listProfiles({ live });
  return JSON.parse(Buffer.from(json).toString("utf8"));
}

export async function saveScript(
  library: LibraryApi,
  source = "export default () => {}",
  scriptId: string | null = null,
) {
  return library.saveScript({ name: "Script", source, description: "", library: "puppeteer", scriptId });
}

type RunInput = Parameters<LibraryApi["createRun"]>[0];

export function runInput(scriptId: string, profileIds: string[], changes: Partial<RunInput> = {}): RunInput {
  return {
    scriptId,
    profileIds,
    variables: {},
    headless: false,
    batch: false,
    concurrency: 0,
    staggerMs: 0,
    source: null,
    scheduleId: null,
    ...changes,
  };
}

type Outcome = Parameters<LibraryApi["endRunProfile"]>[0]["outcome"];

export function outcome(status: Outcome["status"], changes: Partial<Outcome> = {}): Outcome {
  return {
    status,
    error: null,
    ...nothingDone(),
    ...changes,
  };
}

export async function approvedRun(library: LibraryApi, profiles: number, changes: Partial<RunInput> = {}) {
  const profileIds = await createProfiles(library, profiles);
  const { scriptId } = await saveScript(library);
  await library.approveScript({ scriptId, sha256: null });
  const work = await library.createRun(runInput(scriptId, profileIds, changes));
  return { work, runId: work.run.id, scriptId, profileIds };
}

/** Begins each of the run's parts and ends it with the given status; null leaves the part waiting. */
export async function play(
  library: LibraryApi,
  runId: string,
  profileIds: string[],
  ends: ("completed" | "failed" | "skipped" | null)[],
) {
  for (const [index, status] of ends.entries()) {
    const profileId = profileIds[index] ?? "";
    if (status === null) continue;
    if (status !== "skipped") await library.beginRunProfile({ runId, profileId });
    await library.endRunProfile({ runId, profileId, outcome: outcome(status) });
  }
}
