/** Writes files atomically, because other threads may be reading them. `write` gets the path of a draft beside the file. */
import { randomUUID } from "node:crypto";
import { access, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirs } from "./make-dir.ts";

/** Makes the file's directory too. A failed write leaves the old file and no draft, and is thrown. */
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

/** As `replaceFile`, unless the file is there. */
export async function ensureFile(file: string, write: (draft: string) => Promise<unknown>): Promise<void> {
  const missing = await access(file).then(
    () => false,
    () => true,
  );
  if (missing) await replaceFile(file, write);
}
