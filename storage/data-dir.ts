/** The data directory: its layout, creation and protection from other users. */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { whyUnfit } from "../protocol/data-dir-fit.ts";
import { Fault } from "../protocol/faults.ts";
import { refuseNoDirectory } from "../protocol/file-kind.ts";

export interface DataDir {
  root: string;
  profiles: string;
  uploads: string;
  runs: string;
  tmp: string;
  userData(profileId: string): string;
  checkpoints(profileId: string): string;
  scratch(runId: string, profileId: string): string;
}

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
    checkpoints: (profileId) => join(profiles, profileId, "checkpoints"),
    scratch: (runId, profileId) => join(runs, runId, profileId),
  };
}

/**
 * Creates the directory and its subdirectories, mode 0700. Throws `invalid` for a directory that other users share, such as /tmp, because
 * restricting it would lock them out, and for one with files that are not of Troupe.
 */
export function makeDataDir({ root, profiles, uploads, runs, tmp }: DataDir): void {
  const made = makeDirWithParents(root);
  if (made !== undefined) syncParents(root, made);
  const unfit = whyUnfit(root);
  if (unfit !== null) throw new Fault("invalid", unfit, { code: "data-dir-unfit" });
  chmodSync(root, 0o700);
  for (const room of [profiles, uploads, runs, tmp]) {
    refuseNoDirectory(room);
    makeDirWithParents(room);
  }
}

/**
 * Returns the topmost created directory, or undefined. Does not use Node's `recursive`, which loops forever where nothing can be created,
 * as in /proc. Throws system errors.
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

/** A new directory survives a power cut only after its parent is synced: syncs each from `made` to `root`. */
function syncParents(root: string, made: string): void {
  for (let dir = root; dir.length >= made.length; dir = dirname(dir)) {
    const fd = openSync(dirname(dir), "r");
    fsyncSync(fd);
    closeSync(fd);
  }
}
