/** Chooses the directory for temporary files of this process and its children: TMPDIR when it is usable, else another. */
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Chromium's longest path below it, and the system's limit for a socket's path. */
const socketBelow = "/.org.chromium.Chromium.XXXXXX/SingletonSocket";
const socketPathBytesMax = 107;

/** The first writable place that is short enough for sockets; else the first writable one; else `asked`. */
export function fitTempDir(asked: string, dataDir: string): string {
  const places = [asked, "/tmp", "/var/tmp", "/dev/shm", join(dataDir, "tmp")];
  const writable = (place: string) => isWritable(place);
  const isShort = (place: string) => Buffer.byteLength(place + socketBelow) <= socketPathBytesMax;
  return places.filter(isShort).find(writable) ?? places.find(writable) ?? asked;
}

export function useFitTempDir(dataDir: string, env: NodeJS.ProcessEnv = process.env): void {
  if (process.platform === "win32") return;
  const asked = env.TMPDIR ?? tmpdir();
  const fit = fitTempDir(asked, dataDir);
  if (fit !== asked) env.TMPDIR = fit;
}

/** Tries a write, because permissions do not show a read-only disk. */
function isWritable(dir: string): boolean {
  try {
    if (dir === "") return false;
    rmdirSync(mkdtempSync(join(dir, "troupe-")));
    return true;
  } catch {
    return false;
  }
}
