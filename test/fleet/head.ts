/** A head in this process: a real library, PostgreSQL and store, and a pool without browsers. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { openArchives } from "../../actors/fleet/archives.ts";
import { markDirectory } from "../../actors/fleet/directory-store.ts";
import { createHeadLedger } from "../../actors/fleet/head-ledger.ts";
import type { Ledger } from "../../actors/fleet/ledger.ts";
import { openPostgres } from "../../actors/fleet/postgres.ts";
import { prepareTables } from "../../actors/fleet/schema.ts";
import { createSeal, endingPlace, keyCheckOf, newKey } from "../../actors/fleet/sealed.ts";
import { createWorkerLedger } from "../../actors/fleet/worker-ledger.ts";
import { systemClock } from "../../actors/kernel/clock.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { createRuns } from "../../actors/runs/actor.ts";
import { openHead as open } from "../../actors/runs/fleet-head.ts";
import type { HeadConfig, PartEnding } from "../../protocol/fleet.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import { createProfiles, openLibrary, outcome, runInput, saveScript } from "../actors/library.ts";

const origin = { platform: process.platform, engine: 0, label: "here" };
const joining = { session: "s", name: "w1", ...origin, engine: 1, troupe: "1", slots: 9 };
const pool: Partial<PoolApi> = {
  live: async () => [],
  endWaitedLaunches: async () => null,
  capacity: async () => ({ active: 0, max: 9, queued: 0, memory_short: false }),
};

/** `original`: the data directory of another head, of whose fleet this one is the head as well. */
export async function openHead(t: TestContext, uri: string, original: string | null = null) {
  const postgres = await openPostgres(uri);
  if (original === null) await postgres.all("DROP SCHEMA IF EXISTS troupe_fleet CASCADE");
  const { library, dataDir } = await openLibrary(t);
  const store = join(original ?? dataDir, "store");
  await markDirectory(store);
  if (original !== null) cpSync(join(original, "fleet"), join(dataDir, "fleet"), { recursive: true });
  const seal = createSeal(newKey());
  const key = newKey();
  const config: HeadConfig = {
    role: "head",
    postgres: uri,
    archives: `dir:${store}`,
    key,
    headId: "head",
    label: origin.label,
    dataDir,
    chromiumPath: process.execPath,
    version: "1",
  };
  await prepareTables(postgres, config.headId, keyCheckOf(seal));
  const lines: string[] = [];
  const log = createLog("test", (line) => lines.push(line));
  const runs = createRuns({ library, pool: pool as PoolApi, log, clock: systemClock, ownPorts: [] });
  await runs.joinFleet((parts) => open(config, parts));
  const ledger: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
  const fileOf = (profileId: string) => join(dataDir, "profiles", profileId, "chromium", "Preferences");
  t.after(async () => {
    await runs.close({});
    await postgres.close();
  });
  const { scriptId } = await saveScript(library);
  await library.approveScript({ scriptId, sha256: null });
  return {
    library,
    dataDir,
    postgres,
    store,
    archives: openArchives(config),
    ledger,
    runs,
    joinWorker: () => ledger.join(joining),
    claim: () => ledger.claim(joining.session, 9, []),
    /** Begins and ends a claimed part, whose profile the worker still has. */
    async work(
      { runId, profileId, epoch }: { runId: string; profileId: string; epoch: number },
      files: PartEnding["files"] = [],
    ) {
      const lease = { runId, profileId, epoch, session: joining.session };
      await ledger.begin(lease);
      const ending: PartEnding = {
        outcome: outcome("completed"),
        files,
        exit: null,
        worker: joining.name,
      };
      await ledger.finish(lease, createSeal(key).seal(ending, endingPlace(lease)));
      return lease;
    },
    origin,
    /** Of its log. */
    lines,
    createProfiles: (count: number) => createProfiles(library, count),
    start: (profileIds: string[]) =>
      runs.start({ ...runInput(scriptId, profileIds), batch: true, placement: "fleet" }),
    write(profileId: string, text: string) {
      mkdirSync(dirname(fileOf(profileId)), { recursive: true });
      writeFileSync(fileOf(profileId), text);
    },
    read: (profileId: string) => readFileSync(fileOf(profileId), "utf8"),
  };
}
