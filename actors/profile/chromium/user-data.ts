/** The browser's user data directory: made, proven free of another browser, thrown away when it was temporary. */
import { mkdir, mkdtemp, readFile, readlink, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { procFile } from "../../kernel/proc-file.ts";

/** Chromium's own lock is a link to `host-pid`; the other two go with it. */
const lockNames = ["SingletonLock", "SingletonCookie", "SingletonSocket"];
/** Holds what the lock of the browser that this service started last reads as. */
const ownLockName = "TroupeLock";
/** How often it is looked whether a browser has ended that is no child of this process. */
const lookMs = 50;

/**
 * Makes the directory and clears a lock that a crash left. Answers whether the directory is new. Throws `conflict` naming the holder when its owner lives, or
 * when that cannot be disproven: a lock removed under a live browser costs the profile. A lock of another host's name is what an
 * earlier browser of ours left, before this machine was renamed or its container made anew, when it is the one that we noted.
 * The browser that a killed service has left is ending, as its pipe is closed: it is waited for, and ended after `orphanGraceMs`.
 */
export async function claimUserDataDir(
  dir: string,
  orphanGraceMs: number = limits.browserOrphanGraceMs,
  servicePid = process.pid,
): Promise<boolean> {
  const lock = await readlink(join(dir, "SingletonLock")).catch(() => null);
  if (lock === null) return (await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined;
  const cut = lock.lastIndexOf("-");
  const host = lock.slice(0, cut);
  const pid = Number(lock.slice(cut + 1));
  const isOurs = host === hostname() || lock === (await notedLock(dir));
  if (!isOurs || !Number.isInteger(pid) || pid <= 0) {
    const file = join(dir, "SingletonLock");
    throw new Fault(
      "conflict",
      `the profile's browser directory is held by ${lock} (host-pid); stop it there, or remove ${file} if it is gone`,
    );
  }
  if (isOrphan(pid, dir, servicePid)) await endOrphan(pid, orphanGraceMs);
  if (await isBrowserOf(pid, dir)) {
    throw new Fault("conflict", `the profile's browser directory is held by process ${pid}; close it first`);
  }
  await removeLock(dir);
  return false;
}

/** Notes what the lock of our own browser reads as. It launches also where that cannot be written. */
export async function noteOwnLock(dir: string, pid: number): Promise<void> {
  await writeFile(join(dir, ownLockName), `${hostname()}-${pid}`, { mode: 0o600 }).catch(() => {});
}

function notedLock(dir: string): Promise<string | null> {
  return readFile(join(dir, ownLockName), "utf8").catch(() => null);
}

/** Removes the lock of our own browser, after it was seen to be gone: one that was killed leaves it. */
export async function releaseUserDataDir(dir: string, pid: number): Promise<void> {
  const lock = await readlink(join(dir, "SingletonLock")).catch(() => null);
  if (lock === `${hostname()}-${pid}`) await removeLock(dir);
}

/** The socket that goes with the lock lies in a directory of its own, in the machine's folder for temporary files. */
async function removeLock(dir: string): Promise<void> {
  const socket = await readlink(join(dir, "SingletonSocket")).catch(() => null);
  if (socket !== null && isAbsolute(socket)) await removeSocketDir(dirname(socket));
  await Promise.all(lockNames.map((name) => rm(join(dir, name), { force: true })));
}

/** Only what Chromium puts there: a directory that holds more is somebody's. */
async function removeSocketDir(dir: string): Promise<void> {
  await Promise.all(
    ["SingletonSocket", "SingletonCookie"].map((name) => rm(join(dir, name), { force: true })),
  );
  await rmdir(dir).catch(() => {});
}

/** A directory of its own under `tempDir`, for a browser that is to leave nothing. */
export async function makeTemporaryDir(tempDir: string): Promise<string> {
  await mkdir(tempDir, { recursive: true, mode: 0o700 });
  return mkdtemp(join(tempDir, "diagnostic-"));
}

/** Removes a user data directory whole; the last helper may still be closing files in it. */
export async function removeUserDataDir(dir: string): Promise<void> {
  await removeLock(dir);
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

/** Whether the process is a browser that an earlier service has started on this directory: one of this service's is its child. */
function isOrphan(pid: number, dir: string, servicePid: number): boolean {
  const stat = procFile(`/proc/${pid}/stat`) ?? "";
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (Number(parent) === servicePid) return false;
  const args = procFile(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
  return (
    args.includes(`--user-data-dir=${dir}`) && args.some((arg) => arg.startsWith("--remote-debugging-pipe"))
  );
}

async function endOrphan(pid: number, graceMs: number): Promise<void> {
  if (await isGoneWithin(pid, graceMs)) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return; // It has ended meanwhile.
  }
  await isGoneWithin(pid, limits.browserKillGraceMs);
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  const latest = performance.now() + ms;
  while (procFile(`/proc/${pid}/cmdline`)) {
    if (performance.now() > latest) return false;
    await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
  }
  return true;
}

/** Whether the process lives and can be the lock's owner: a number that now belongs to a program without this directory cannot. */
async function isBrowserOf(pid: number, dir: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const commandLine = procFile(`/proc/${pid}/cmdline`);
  if (commandLine === null) return true; // No /proc, or not ours to read: alive is all that is known.
  if (commandLine === "") return false; // A zombie.
  if (commandLine.includes(dir)) return true;
  // A helper process never owns a lock, nor does what is no browser.
  if (!/chrom/i.test(commandLine) || /--type=/.test(commandLine)) return false;
  // A browser started by hand may have named the directory another way, or not at all.
  const named = /--user-data-dir=(\/[^\0]*)/.exec(commandLine)?.[1];
  if (named === undefined) return true;
  const [theirs, ours] = await Promise.all([named, dir].map((path) => stat(path).catch(() => null)));
  return theirs?.dev === ours?.dev && theirs?.ino === ours?.ino;
}
