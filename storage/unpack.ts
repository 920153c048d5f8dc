/** Writes the files of an archive into a directory that was empty. */
import { open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault } from "../protocol/faults.ts";
import { makeDirWithParents } from "./data-dir.ts";

/** `mayHold`: the paths that the archive may have; refuses others, so that nothing is written outside the directory. Throws `invalid`. */
export async function writeEntry(
  dir: string,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  mayHold: RegExp,
): Promise<void> {
  if (!mayHold.test(path) || path.split("/").some((name) => name === "" || name === "." || name === "..")) {
    throw new Fault("invalid", `the archive holds ${JSON.stringify(path)}, which does not belong there`);
  }
  try {
    makeDirWithParents(dirname(join(dir, path)));
    const file = await open(join(dir, path), "wx", 0o600);
    try {
      await writeFile(file, chunks);
      await file.sync();
    } finally {
      await file.close();
    }
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
