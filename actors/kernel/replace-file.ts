/** Writes a file atomically, because other threads may be reading it. */
import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirs } from "./make-dir.ts";

/** Makes the file's directory too. `write` gets the path of a draft beside the file. A failed write leaves the old file and no draft, and is thrown. */
export async function replaceFile(file: string, write: (draft: string) => Promise<unknown>): Promise<void> {
  await makeDirs(dirname(file));
  const draft = `${file}.${randomUUID()}`;
  try {
    await write(draft);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
