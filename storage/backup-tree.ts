/** Adds the files of a directory to an archive. Says what it leaves out, since an archive holds plain files with UTF-8 names only. */
import { isUtf8 } from "node:buffer";
import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemFault } from "../protocol/disk-fault.ts";
import type { LeftOutFile, LeftOutReason } from "../protocol/messages/backups.ts";
import type { ArchivedFile, ArchiveWriter } from "./archive.ts";

export interface Tree {
  /** Path of the directory in the archive. */
  as: string;
  dir: string;
  /** Gets the path below the directory, with `/`. What it does not want is not counted as left out. */
  wanted(path: string): boolean;
}

export interface AddedTree {
  files: ArchivedFile[];
  leftOut: LeftOutFile[];
}

/** Adds the files below `dir`. A file or directory that vanishes meanwhile, or a missing `dir`, is no error. */
export async function addTree(
  archive: Pick<ArchiveWriter, "addFile">,
  { as, dir, wanted }: Tree,
): Promise<AddedTree> {
  const added: AddedTree = { files: [], leftOut: [] };
  const addOne = async (path: string): Promise<LeftOutReason | null> => {
    const file = await openPlain(join(dir, path));
    if (file === null || typeof file === "string") return file;
    try {
      added.files.push(await archive.addFile(`${as}/${path}`, file));
      return null;
    } catch (error) {
      // Such an error names no path.
      const isOfThisFile = error instanceof Error && "syscall" in error && error.syscall === "read";
      throw isOfThisFile ? systemFault(error, join(dir, path)) : error;
    } finally {
      await file.close();
    }
  };
  const addBelow = async (below: string): Promise<void> => {
    for (const entry of await listed(join(dir, below))) {
      const path = `${below}${nameOf(entry)}`;
      if (!wanted(path)) continue;
      let reason: LeftOutReason | null = null;
      if (!isUtf8(entry.name)) reason = "name-not-utf8";
      else if (entry.isDirectory()) await addBelow(`${path}/`);
      else if (entry.isSymbolicLink()) reason = "symbolic-link";
      else reason = entry.isFile() ? await addOne(path) : "not-a-file";
      if (reason !== null) added.leftOut.push({ path: `${as}/${path}`, reason });
    }
  };
  await addBelow("");
  return added;
}

/** The entries of a directory, their names as bytes. Empty when it does not exist (any more). */
export async function listed(dir: string): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(dir, { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** The name; where it is not UTF-8, with `\xe9` for each byte that is not ASCII. */
export function nameOf({ name }: Dirent<Buffer>): string {
  if (isUtf8(name)) return name.toString("utf8");
  return name
    .toString("latin1")
    .replace(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** Null if the file is gone. Follows no link and waits for no pipe that has replaced it since it was listed. */
async function openPlain(path: string): Promise<FileHandle | LeftOutReason | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    const file = await open(path, flags);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return "not-a-file";
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    if (codeOf(error) === "ELOOP") return "symbolic-link";
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
