/**
 * The directories of test files: one on disk, and for browser tests one in memory if there is space, because each browser creates and
 * removes hundreds of files (bench/FINDINGS.md, "Tests").
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { cacheDir } from "./paths.mjs";

const memory = "/dev/shm";
/** Far more than the browser tests need. */
const roomBytes = 2 ** 30;
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
    return false;
  }
}

// Short, because Chromium creates a socket in it, and a socket's path has at most 107 characters.
function made(place) {
  try {
    return mkdtempSync(join(realpathSync(place), "troupe-test-"));
  } catch (error) {
    process.stderr.write(
      `npm test needs a directory for temporary files: ${error.message}; set TMPDIR to one\n`,
    );
    process.exit(1);
  }
}

/** `quick` equals `disk` if memory is short or the user has set TMPDIR. `bundled`, for the bundles of tests, is where they find packages. */
export function makeTestDirs() {
  const disk = made(tmpdir());
  const quick = process.env.TMPDIR === undefined && hasRoom(memory) ? made(memory) : disk;
  mkdirSync(cacheDir, { recursive: true });
  return { disk, quick, bundled: made(cacheDir) };
}
