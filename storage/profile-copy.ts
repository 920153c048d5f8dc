/** Copies a stopped profile's files: cloned where the file system can, else copied. */
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { copyFile, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../protocol/faults.ts";
import { listed, nameOf } from "./backup-tree.ts";
import { isProfileFile } from "./profile-files.ts";

const filesAtOnce = 16;

/** Copies the files below `from` into the new directory `to`; a missing `from` has none. As in an archive, links and names that are not UTF-8 are left out. Returns their bytes. Throws system errors. */
export async function copyProfileFiles(from: string, to: string): Promise<number> {
  const files: string[] = [];
  const list = async (below: string): Promise<void> => {
    await mkdir(join(to, below), { recursive: true, mode: 0o700 });
    for (const entry of await listed(join(from, below))) {
      const path = below === "" ? nameOf(entry) : `${below}/${nameOf(entry)}`;
      if (!isUtf8(entry.name) || !isProfileFile(path)) continue;
      if (entry.isDirectory()) await list(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  await list("");
  let bytes = 0;
  const waiting = files.values();
  const worker = async () => {
    for (const path of waiting) {
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
      const { size } = await lstat(join(to, path));
      bytes += size;
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, worker));
  return bytes;
}

function ifMissing<Value>(instead: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}

/** Reads a profile's directory. Throws `conflict` when a browser opened it meanwhile: what was read is then no moment of it. */
export async function whileClosed<Value>(
  userDataDir: string,
  profileId: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const lock = () => lstat(join(userDataDir, "SingletonLock")).then(({ ino }) => ino, ifMissing(null));
  const before = await lock();
  const outcome = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ((await lock()) !== before)
    throw new Fault("conflict", `profile ${profileId} was opened meanwhile; stop it and try again`);
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}
