/** What a script has on the disk while it runs: counted from outside, as its browser writes its downloads there too. */
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import type { Workspace } from "./workspace.ts";

const tooMuch = `the script kept more than ${limits.scratchBytesMax / 1024 ** 2} MiB of files`;
const tooMany = `the script kept more than ${limits.scratchEntriesMax} files`;

/** Why a workspace holds too much; null when it does not. What `pid` has deleted and holds open counts too. */
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

/** Only where there is a /proc. */
async function deletedBytes(pid: number): Promise<number> {
  const directory = `/proc/${pid}/fd`;
  let bytes = 0;
  for (const fd of await readdir(directory).catch(() => [])) {
    const file = await stat(join(directory, fd)).catch(() => null);
    if (file?.isFile() && file.nlink === 0) bytes += file.size;
  }
  return bytes;
}

/** It may be deleted while it is counted; what cannot be counted for another reason is a fault. */
function unlessGone<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (Object(error).code === "ENOENT") return otherwise;
    throw error;
  };
}
