/** Archives of profiles that a machine of a fleet opens; the library of the head has the profiles. */
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveTasks } from "../../protocol/messages/tasks.ts";

/** Loaded with the first archive. */
const storage = () => import("../../storage/profile-archive.ts");

export const packProfile: ArchiveTasks["packProfile"] = async (input) => {
  const { writeProfileArchive } = await storage();
  return writeProfileArchive({ ...input, cookiesOnly: false });
};

export const unpackProfile: ArchiveTasks["unpackProfile"] = async ({ file, userDataDir }) => {
  const { readOwnProfileArchive } = await storage();
  const room = `${userDataDir}.unpacked`;
  try {
    await rm(room, { recursive: true, force: true });
    await mkdir(join(room, "chromium"), { recursive: true, mode: 0o700 });
    await readOwnProfileArchive(file, room);
    await rename(join(room, "chromium"), userDataDir);
    return null;
  } finally {
    await rm(room, { recursive: true, force: true });
  }
};
