/** Runs in the fleet: their parts as they wait and begin there, and profiles whose newest files are there. */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import type { FleetCalls } from "../../protocol/messages/fleet.ts";
import { readProfileArchive, writeProfileArchive } from "../../storage/profile-archive.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { isInFleet, profilesInFleet, setInFleet } from "../../storage/tables/fleet-profiles.ts";
import { beginPart, partStatus, setPartStatus } from "../../storage/tables/run-profiles.ts";
import { instant, type LibraryContext } from "./context.ts";
import { archived, refuseOlder } from "./profile-archives.ts";
import { replaceProfileFiles } from "./profile-files.ts";
import { existingProfile, existingProfileId, specOf } from "./profiles.ts";
import { existingTerms, lossOf, taskOf } from "./runs.ts";

export function fleetArea(context: LibraryContext): FleetCalls {
  const { database, disk, dataDir, clock, profileFiles } = context;
  return {
    async placeRunProfile(input) {
      const placed = await database.write((sql) => {
        const stored = existingTerms(sql, input.runId);
        const id = existingProfileId(sql, input.profileId);
        const status = partStatus(sql, stored.run.id, id);
        if (status !== "waiting" && status !== "placed" && status !== "away")
          throw new Fault(
            "conflict",
            `the part of profile ${id} is ${status ?? "not in this run"}, not waiting`,
          );
        const loss = status === "waiting" ? lossOf(sql, stored) : null;
        if (loss !== null) throw new Fault("conflict", loss);
        const task = taskOf(sql, context, stored, id, status !== "waiting");
        if (status === "waiting") setPartStatus(sql, stored.run.id, id, "placed");
        return { task, spec: specOf(sql, context, existingProfile(sql, id)) };
      });
      await disk.makeDir(placed.task.scratchDir);
      return placed;
    },
    notePlaced: ({ runId, profileId, begun }) =>
      database.write((sql) => {
        const status = partStatus(sql, runId, profileId);
        if (begun && status === "placed") {
          beginPart(sql, runId, profileId, instant(clock));
          setPartStatus(sql, runId, profileId, "away");
        } else if (!begun && status === "away") setPartStatus(sql, runId, profileId, "placed");
        return null;
      }),
    profileInFleet: ({ profileId }) =>
      database.read((sql) => ({ inFleet: isInFleet(sql, keptId(sql, profileId)) })),
    profilesInFleet: () => database.read((sql) => ({ profileIds: profilesInFleet(sql) })),
    async giveProfile({ profileId }) {
      const { id, profile } = await database.write((sql) => {
        const stored = existingProfile(sql, profileId);
        setInFleet(sql, stored.id, true); // First, so that no launch here changes the files meanwhile.
        return { id: stored.id, profile: archived(sql, stored) };
      });
      const file = join(dataDir.tmp, `${randomUUID()}.troupe`);
      const userDataDir = dataDir.userData(id);
      const options = { file, userDataDir, profile, cookiesOnly: false, createdAt: instant(clock) };
      try {
        const { engine } = await profileFiles.closed(id, () => writeProfileArchive(options));
        return { file, engine };
      } catch (error) {
        await disk.removeTree(file);
        await database.write((sql) => setInFleet(sql, id, false));
        throw error;
      }
    },
    async receiveProfile({ profileId, file, engine }) {
      const id = await database.read((sql) => keptId(sql, profileId));
      if (file !== null) await profileFiles.alone(id, () => replaceFiles(context, id, file, engine));
      await database.write((sql) => setInFleet(sql, id, false));
      return null;
    },
  };
}

/** One in the fleet may be in the trash. Throws `not-found`. */
function keptId(sql: Reader, profileId: string): string {
  const id = profileId.toLowerCase();
  return isInFleet(sql, id) ? id : existingProfileId(sql, id);
}

async function replaceFiles(
  { disk, dataDir }: LibraryContext,
  id: string,
  file: string,
  engine: string | null,
): Promise<void> {
  const unpacked = join(dataDir.tmp, randomUUID());
  const live = dataDir.userData(id);
  try {
    await mkdir(join(unpacked, "chromium"), { recursive: true, mode: 0o700 });
    refuseOlder((await readProfileArchive(file, unpacked)).engine, engine);
    await mkdir(join(live, ".."), { recursive: true, mode: 0o700 });
    await replaceProfileFiles(disk, live, join(unpacked, "chromium"));
  } finally {
    await disk.removeTree(unpacked);
  }
}
