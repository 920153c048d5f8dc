/** Files in places where others can write: opening a pipe there would block for ever. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** The bytes of a regular file; null when the path is missing or is anything else. */
export async function readRegularFile(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null);
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await file.readFile() : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
