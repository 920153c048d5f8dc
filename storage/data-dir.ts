/** The data directory: where each thing lies in it, and that nobody else may look. */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault } from "../protocol/faults.ts";

/** Absolute paths. */
export interface DataDir {
  root: string;
  profiles: string;
  uploads: string;
  runs: string;
  tmp: string;
  /** Chromium's user data directory of a profile; made at its first launch. */
  userData(profileId: string): string;
  /** Scratch directory of one profile's part of a run. */
  scratch(runId: string, profileId: string): string;
}

/** Where each thing lies in the data directory at `path`. */
export function dataDirAt(path: string): DataDir {
  const root = resolve(path);
  const profiles = join(root, "profiles");
  const runs = join(root, "runs");
  return {
    root,
    profiles,
    uploads: join(root, "uploads"),
    runs,
    tmp: join(root, "tmp"),
    userData: (profileId) => join(profiles, profileId, "chromium"),
    scratch: (runId, profileId) => join(runs, runId, profileId),
  };
}

/**
 * Makes the directory and its rooms, mode 0700. Throws `invalid` for a directory that other users share (as /tmp): closing
 * it would take it from them.
 */
export function makeDataDir({ root, profiles, uploads, runs, tmp }: DataDir): void {
  const made = makeDirWithParents(root);
  if (made !== undefined) syncParents(root, made);
  const { mode, uid } = statSync(root);
  const me = process.getuid?.();
  if ((mode & 0o002) !== 0 || (me !== undefined && uid !== me)) {
    throw new Fault("invalid", `the data directory ${root} is shared with other users; name one of its own`, {
      code: "data-dir-unfit",
    });
  }
  chmodSync(root, 0o700);
  for (const room of [profiles, uploads, runs, tmp]) makeDirWithParents(room);
}

/**
 * Answers the topmost directory that was made; undefined when all are there. Node's own `recursive` tries for ever where a
 * directory can be looked at and nothing be made in it, as in /proc. Throws the system's error.
 */
export function makeDirWithParents(dir: string): string | undefined {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing.length === 0 ? [dir] : missing) makeDir(each);
  return missing[0];
}

function makeDir(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** A new directory is safe from a power cut when the one that holds it is synced: for each from `made` down to `root`. */
function syncParents(root: string, made: string): void {
  for (let dir = root; dir.length >= made.length; dir = dirname(dir)) {
    const fd = openSync(dirname(dir), "r");
    fsyncSync(fd);
    closeSync(fd);
  }
}
