/** The files of profiles on a worker. A profile's directory is used again when it has the epoch of the archive in the store and is of this boot. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoredArchive } from "../../protocol/fleet.ts";
import type { ArchiveTasks } from "../../protocol/messages/tasks.ts";
import type { Archives } from "../fleet/archives.ts";
import { bootId } from "../kernel/proc-file.ts";

const epochName = "epoch";
/** Those used last stay. */
const keptMax = 500;

export interface ProfileCache {
  /** Fetches the files unless they are here, and counts them as changed from now on. Returns the user data directory. */
  ready(profileId: string, archive: StoredArchive, epoch: number): Promise<string>;
  /** They are those of the archive of this epoch. */
  isKept(profileId: string, epoch: number): Promise<void>;
}

export function createProfileCache(root: string, archives: Archives, tasks: ArchiveTasks): ProfileCache {
  const dirOf = (profileId: string) => join(root, profileId);
  // Files are not synced: after a power cut they must not pass for those of the epoch.
  const boot = bootId() ?? `process ${process.pid}`;
  const markOf = (epoch: number) => `${epoch} ${boot}`;
  const trim = async () => {
    const names = await readdir(root).catch(() => []);
    if (names.length <= keptMax) return;
    const ages = await Promise.all(
      names.map(async (name) => ({
        name,
        at: await stat(join(root, name, epochName)).then(
          (s) => s.mtimeMs,
          () => null,
        ),
      })),
    );
    // One without an epoch may be open.
    const idle = ages.filter((one): one is { name: string; at: number } => one.at !== null);
    for (const { name } of idle.sort((a, b) => a.at - b.at).slice(0, names.length - keptMax))
      await rm(dirOf(name), { recursive: true, force: true });
  };
  return {
    async ready(profileId, archive, epoch) {
      const dir = dirOf(profileId);
      const userDataDir = join(dir, "chromium");
      const here = await readFile(join(dir, epochName), "utf8").catch(() => null);
      await rm(join(dir, epochName), { force: true });
      if (here === markOf(epoch) && existsSync(userDataDir)) return userDataDir;
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
    },
    async isKept(profileId, epoch) {
      await writeFile(join(dirOf(profileId), epochName), markOf(epoch), { mode: 0o600 });
      await trim();
    },
  };
}
