/** The files of a running script, counted from outside, because its browser writes downloads there too. */
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import type { Workspace } from "./workspace.ts";

const tooMuch = `the script kept more than ${limits.scratchBytesMax / 1024 ** 2} MiB of files`;
const tooMany = `the script kept more than ${limits.scratchEntriesMax} files`;

/** Why a workspace is too large; null when it is not. Deleted files that `pid` still has open count too. */
export async function overfull({ root }: Workspace, pid: number | null): Promise<string | null> {
  let bytes = pid === null ? 0 : await deletedBytes(pid);
  let entries = 0;
  const directories = [root];
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(unlessGone([]))) {
      entries += 1;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) directories.push(path);
      else bytes += (await lstat(path).catch(unlessGone({ size: 0 }))).size;
      if (bytes > limits.scratchBytesMax) return tooMuch;
      if (entries > limits.scratchEntriesMax) return tooMany;
    }
  }
  return null;
}

async function deletedBytes(pid: number): Promise<number> {
  const directory = `/proc/${pid}/fd`;
  let bytes = 0;
  for (const fd of await readdir(directory).catch(() => [])) {
    const file = await stat(join(directory, fd)).catch(() => null);
    if (file?.isFile() && file.nlink === 0) bytes += file.size;
  }
  return bytes;
}

/** Files may be deleted during the count. Any other error is thrown. */
function unlessGone<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (Object(error).code === "ENOENT") return otherwise;
    throw error;
  };
}
