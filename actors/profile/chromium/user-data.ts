/** The browser's user data directory: creation, lock, removal. */
import { mkdtemp, readFile, readlink, rm, rmdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { makeDirs } from "../../kernel/make-dir.ts";
import { endOrphan, isBrowserOf } from "./orphans.ts";

/** Chromium's lock is a link to `host-pid`; the other two belong to it. */
const lockNames = ["SingletonLock", "SingletonCookie", "SingletonSocket"];
const ownLockName = "TroupeLock";

/** Creates the directory (true if new) and clears a crash's lock. Throws `conflict` with the lock's owner unless that has surely ended. */
export async function claimUserDataDir(
  dir: string,
  orphanGraceMs: number = limits.browserOrphanGraceMs,
  servicePid = process.pid,
): Promise<boolean> {
  const lock = await readlink(join(dir, "SingletonLock")).catch(() => null);
  if (lock === null) return makeDirs(dir);
  const cut = lock.lastIndexOf("-");
  const host = lock.slice(0, cut);
  const pid = Number(lock.slice(cut + 1));
  // A noted lock is ours under another host name too: the machine may have been renamed.
  const isOurs = host === hostname() || lock === (await notedLock(dir));
  if (!isOurs || !Number.isInteger(pid) || pid <= 0) {
    const file = join(dir, "SingletonLock");
    throw new Fault(
      "conflict",
      `the profile's browser directory is in use by ${lock} (host-pid); stop it there, or remove ${file} if it has ended`,
    );
  }
  await endOrphan(pid, dir, orphanGraceMs, servicePid);
  if (await isBrowserOf(pid, dir)) {
    throw new Fault(
      "conflict",
      `the profile's browser directory is in use by process ${pid}; close it first`,
    );
  }
  await removeLock(dir);
  return false;
}

/** Notes the lock of our own browser. Failure is ignored: only a later launch may need it. */
export async function noteOwnLock(dir: string, pid: number): Promise<void> {
  await writeFile(join(dir, ownLockName), `${hostname()}-${pid}`, { mode: 0o600 }).catch(() => {});
}

function notedLock(dir: string): Promise<string | null> {
  return readFile(join(dir, ownLockName), "utf8").catch(() => null);
}

/** Removes the lock of our own browser after its end, since a killed browser leaves it. */
export async function releaseUserDataDir(dir: string, pid: number): Promise<void> {
  const lock = await readlink(join(dir, "SingletonLock")).catch(() => null);
  if (lock === `${hostname()}-${pid}`) await removeLock(dir);
}

/** The lock's socket is in a directory of its own among the machine's temporary files. */
async function removeLock(dir: string): Promise<void> {
  const socket = await readlink(join(dir, "SingletonSocket")).catch(() => null);
  if (socket !== null && isAbsolute(socket)) await removeSocketDir(dirname(socket));
  await Promise.all(lockNames.map((name) => rm(join(dir, name), { force: true })));
}

/** Removes only Chromium's files. Any other content means that the directory is not Chromium's. */
async function removeSocketDir(dir: string): Promise<void> {
  await Promise.all(
    ["SingletonSocket", "SingletonCookie"].map((name) => rm(join(dir, name), { force: true })),
  );
  await rmdir(dir).catch(() => {});
}

/** A new directory under `tempDir`, for a browser that must leave no data. */
export async function makeTemporaryDir(tempDir: string): Promise<string> {
  await makeDirs(tempDir);
  return mkdtemp(join(tempDir, "diagnostic-"));
}

/** Removes a user data directory. Retries, because a helper process may still be closing files. */
export async function removeUserDataDir(dir: string): Promise<void> {
  await removeLock(dir);
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
