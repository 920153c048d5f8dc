/** Writes a file atomically, because other threads may be reading it. */
import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";

/** `write` gets the path of a draft beside `file`. A failed write leaves nothing, and is thrown. */
export async function replaceFile(file: string, write: (draft: string) => Promise<unknown>): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await write(draft);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
