/** The files of profiles on a worker. A profile's directory is used again when it has the files of the archive in the store and is of this boot. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoredArchive } from "../../protocol/fleet.ts";
import type { ArchiveTasks } from "../../protocol/messages/tasks.ts";
import type { Archives } from "../fleet/archives.ts";
import { bootId } from "../kernel/proc-file.ts";
import { createTurns } from "../kernel/turns.ts";

/** Beside the files while they are those of an archive; without it they may be open, or a part of some. */
const markName = "archive-kept";
/** Those used last stay. */
const keptMax = 500;

export interface ProfileCache {
  /** Fetches the files unless they are here, and counts them as changed from now on. Returns the user data directory. */
  ready(profileId: string, archive: StoredArchive): Promise<string>;
  /** They are those of this archive. */
  isKept(profileId: string, archive: StoredArchive): Promise<void>;
  /** Removes what was open when an earlier process ended. Only before the first profile is ready. */
  clear(): Promise<void>;
}

export function createProfileCache(root: string, archives: Archives, tasks: ArchiveTasks): ProfileCache {
  const dirOf = (profileId: string) => join(root, profileId);
  // Files are not synced: after a power cut they must not pass for those of the archive.
  const boot = bootId() ?? `process ${process.pid}`;
  const markOf = ({ sha256 }: StoredArchive) => `${sha256} ${boot}`;
  const inTurn = createTurns();
  const markAt = (profileId: string) => join(dirOf(profileId), markName);
  const trim = async () => {
    const names = await readdir(root).catch(() => []);
    if (names.length <= keptMax) return;
    const ages = await Promise.all(
      names.map(async (name) => ({
        name,
        at: await stat(markAt(name)).then(
          (s) => s.mtimeMs,
          () => null,
        ),
      })),
    );
    // One without a mark may be open.
    const idle = ages.filter((one): one is { name: string; at: number } => one.at !== null);
    for (const { name } of idle.sort((a, b) => a.at - b.at).slice(0, names.length - keptMax))
      await inTurn(name, async () => {
        if (existsSync(markAt(name))) await rm(dirOf(name), { recursive: true, force: true });
      });
  };
  const ready = async (profileId: string, archive: StoredArchive) => {
    const dir = dirOf(profileId);
    const userDataDir = join(dir, "chromium");
    const here = await readFile(markAt(profileId), "utf8").catch(() => null);
    await rm(markAt(profileId), { force: true });
    if (here === markOf(archive) && existsSync(userDataDir)) return userDataDir;
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const file = join(dir, "archive");
    try {
      await archives.get(archive, file);
      await tasks.unpackProfile({ file, userDataDir });
    } finally {
      await rm(file, { force: true });
    }
    return userDataDir;
  };
  return {
    ready: (profileId, archive) => inTurn(profileId, () => ready(profileId, archive)),
    async isKept(profileId, archive) {
      await writeFile(markAt(profileId), markOf(archive), { mode: 0o600 });
      await trim();
    },
    async clear() {
      for (const name of await readdir(root).catch(() => []))
        if (!existsSync(markAt(name))) await rm(dirOf(name), { recursive: true, force: true });
    },
  };
}
