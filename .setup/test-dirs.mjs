/**
 * Where tests put their files: a directory on the disk, and for the browser tests one in memory where there is room, for
 * hundreds of browsers each write and remove some hundred files. A launch takes 0.55 s of a core there and 0.85 s on ext4, which
 * looks for an inode past all that were freed a short while ago.
 */
import { mkdtempSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/** The browser tests' files and the browsers' own shared memory have taken 75 MB at most. */
const roomBytes = 2 ** 30;
/** What browsers and services need besides. */
const freeBytes = 4 * roomBytes;

function mayExecute(place) {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.map((line) => line.split(" ")).filter(([, at]) => at === place);
  return options.length > 0 && !options.at(-1)[3].split(",").includes("noexec");
}

function hasRoom(place) {
  try {
    const { bavail, bsize } = statfsSync(place);
    const free = Math.min(freemem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    return bavail * bsize >= roomBytes && free >= freeBytes && mayExecute(place);
  } catch {
    return false; // Not Linux.
  }
}

// Short: Chromium puts a socket under it, and a socket's path has room for 107 characters.
const made = (place) => mkdtempSync(join(realpathSync(place), "troupe-test-"));

/** Makes them: `disk`, and `quick`, which is the same one where memory is short or the user has named a TMPDIR. */
export function makeTestDirs() {
  const disk = made(tmpdir());
  return { disk, quick: process.env.TMPDIR === undefined && hasRoom(memory) ? made(memory) : disk };
}
