/** Checkpoints: copies of a stopped profile's files, beside them in the profile's directory. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { ProfileCopyCalls } from "../../protocol/messages/profile-copies.ts";
import type { Checkpoint } from "../../protocol/profile-copies.ts";
import { copyProfileFiles } from "../../storage/profile-copy.ts";
import { instant, type LibraryContext } from "./context.ts";
import { refuseInFleet } from "./in-fleet.ts";
import { replaceProfileFiles } from "./profile-files.ts";
import { existingProfileId } from "./profiles.ts";

type Calls = "listCheckpoints" | "createCheckpoint" | "restoreCheckpoint" | "deleteCheckpoint";

const recordName = "checkpoint.json";
const filesName = "chromium";

/** A directory is a checkpoint only if it has a record, which is written last and deleted first. */
export function checkpointsArea(context: LibraryContext): Pick<LibraryApi & ProfileCopyCalls, Calls> {
  const { database, dataDir, disk, clock, profileFiles } = context;
  const knownId = (profileId: string) => database.read((sql) => existingProfileId(sql, profileId));
  const dirOf = (id: string, checkpointId: string) =>
    join(dataDir.checkpoints(id), checkpointId.toLowerCase());
  const here = (profileId: string) =>
    database.read((sql) => {
      const id = existingProfileId(sql, profileId);
      refuseInFleet(sql, id);
      return id;
    });
  const existing = async (profileId: string, checkpointId: string) => {
    const id = await knownId(profileId);
    const dir = dirOf(id, checkpointId);
    if ((await recordIn(dir)) !== null) return { id, dir };
    throw new Fault("not-found", `profile ${profileId} has no checkpoint ${checkpointId}`);
  };
  return {
    async listCheckpoints({ profileId }) {
      const room = dataDir.checkpoints(await knownId(profileId));
      const names = await readdir(room).catch(() => []);
      const records = await Promise.all(names.map((name) => recordIn(join(room, name))));
      return records.filter((record) => record !== null).sort((a, b) => (whenOf(a) < whenOf(b) ? -1 : 1));
    },
    async createCheckpoint({ profileId, name, note, openings }) {
      const id = await here(profileId);
      const checkpoint_id = randomUUID();
      const dir = dirOf(id, checkpoint_id);
      const from = dataDir.userData(id);
      const staged = join(dataDir.tmp, checkpoint_id); // A start removes what a crash leaves there.
      const copy = async () => {
        await knownId(id); // It may have been deleted meanwhile.
        await mkdir(staged, { mode: 0o700 });
        const bytes = await copyProfileFiles(from, join(staged, filesName));
        const record: Checkpoint = { checkpoint_id, name, note, created_at: instant(clock), bytes };
        await writeFile(join(staged, recordName), JSON.stringify(record), { mode: 0o600, flush: true });
        await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
        await rename(staged, dir);
        return record;
      };
      try {
        return await profileFiles.closed(id, copy, { openings });
      } catch (error) {
        for (const made of [staged, dir]) await disk.removeTree(made);
        throw error;
      }
    },
    async restoreCheckpoint({ profileId, checkpointId, openings }) {
      const id = await here(profileId);
      const live = dataDir.userData(id);
      const fresh = join(dataDir.tmp, randomUUID()); // A start removes what a crash leaves there.
      const swap = async () => {
        const { dir } = await existing(profileId, checkpointId);
        await copyProfileFiles(join(dir, filesName), fresh);
        await replaceProfileFiles(disk, live, fresh);
      };
      try {
        await profileFiles.closed(id, swap, { openings, changes: true });
      } finally {
        await disk.removeTree(fresh);
      }
      return null;
    },
    async deleteCheckpoint({ profileId, checkpointId }) {
      await profileFiles.alone(await knownId(profileId), async () => {
        const { dir } = await existing(profileId, checkpointId);
        await disk.remove(join(dir, recordName));
        await disk.removeTree(dir);
      });
      return null;
    },
  };
}

/** Two of the same moment stay in the same order. */
const whenOf = ({ created_at, checkpoint_id }: Checkpoint) => `${created_at} ${checkpoint_id}`;

async function recordIn(dir: string): Promise<Checkpoint | null> {
  try {
    return JSON.parse(await readFile(join(dir, recordName), "utf8"));
  } catch {
    return null;
  }
}
