/** Writes the files of an archive into a directory that was empty. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault } from "../protocol/faults.ts";
import { makeDirWithParents } from "./data-dir.ts";

export interface Entry {
  path: string;
  chunks: AsyncIterable<Uint8Array>;
}

/** `mayHold`: the paths that the archive may have; refuses others, so that nothing is written outside the directory. Throws `invalid`. */
export const writeEntry = (dir: string, entry: Entry, mayHold: RegExp): Promise<void> =>
  writeTo(dir, entry, mayHold, async (file) => {
    const handle = await open(file, "wx", 0o600);
    try {
      await writeFile(handle, entry.chunks);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });

/** The same for files that a power cut may take. Blocks its thread while it writes: promises cost more than small files. */
export const writeUnsynced = (dir: string, entry: Entry, mayHold: RegExp): Promise<void> =>
  writeTo(dir, entry, mayHold, async (file) => {
    const descriptor = openSync(file, "wx", 0o600);
    try {
      for await (const chunk of entry.chunks) writeFileSync(descriptor, chunk);
    } finally {
      closeSync(descriptor);
    }
  });

async function writeTo(
  dir: string,
  { path }: Entry,
  mayHold: RegExp,
  write: (file: string) => Promise<void>,
): Promise<void> {
  if (!mayHold.test(path) || path.split("/").some((name) => name === "" || name === "." || name === "..")) {
    throw new Fault("invalid", `the archive holds ${JSON.stringify(path)}, which does not belong there`);
  }
  const file = join(dir, path);
  try {
    makeDirWithParents(dirname(file));
    await write(file);
  } catch (error) {
    throw misfit(error, path) ?? error;
  }
}

/** The directory was empty, so these errors are the archive's own: a name too long, one that came before, a file as a directory. */
function misfit(error: unknown, path: string): Fault | null {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  if (code === "ENAMETOOLONG")
    return new Fault("invalid", `the archive holds ${shown}, a name that is too long for this disk`);
  if (code !== "EEXIST" && code !== "ENOTDIR" && code !== "EISDIR") return null;
  return new Fault("invalid", `the archive holds ${shown}, whose path another of its files takes`);
}
