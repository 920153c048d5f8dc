/** Where temporary files lie: TMPDIR when it can serve, else a directory that can. Decided once, for this process and all that it starts. */
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What Chromium puts below it, at its longest, and the room that a socket's path has. */
const socketBelow = "/.org.chromium.Chromium.XXXXXX/SingletonSocket";
const socketPathBytesMax = 107;

/**
 * The first place that can be written and is short enough for sockets: TMPDIR, the system's usual ones, the data directory's `tmp`. Where none is
 * short enough, the first that can be written; where none can, what TMPDIR says.
 */
export function fitTempDir(asked: string, dataDir: string): string {
  const places = [asked, "/tmp", "/var/tmp", "/dev/shm", join(dataDir, "tmp")];
  const writable = (place: string) => isWritable(place);
  const isShort = (place: string) => Buffer.byteLength(place + socketBelow) <= socketPathBytesMax;
  return places.filter(isShort).find(writable) ?? places.find(writable) ?? asked;
}

/** Sets TMPDIR for this process and all that it starts. */
export function useFitTempDir(dataDir: string, env: NodeJS.ProcessEnv = process.env): void {
  if (process.platform === "win32") return;
  const asked = env.TMPDIR ?? tmpdir();
  const fit = fitTempDir(asked, dataDir);
  if (fit !== asked) env.TMPDIR = fit;
}

/** Tried, for the rights of a directory do not tell of a disk that is read-only. */
function isWritable(dir: string): boolean {
  try {
    if (dir === "") return false;
    rmdirSync(mkdtempSync(join(dir, "troupe-")));
    return true;
  } catch {
    return false;
  }
}
