/** The browser's user data directory: creation, lock, removal. */
import { mkdtemp, readFile, readlink, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { makeDirs } from "../../kernel/make-dir.ts";
import { procFile } from "../../kernel/proc-file.ts";

/** Chromium's lock is a link to `host-pid`; the other two belong to it. */
const lockNames = ["SingletonLock", "SingletonCookie", "SingletonSocket"];
const ownLockName = "TroupeLock";
const lookMs = 50;

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
  // The browser of a killed service is ending by itself.
  if (isOrphan(pid, dir, servicePid)) await endOrphan(pid, orphanGraceMs);
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

/** Whether an earlier service started this browser. One of this service would be its child. */
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
    return; // It has ended.
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

/** Whether the process lives and may own the lock. Its pid may have been reused by another program. */
async function isBrowserOf(pid: number, dir: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const commandLine = procFile(`/proc/${pid}/cmdline`);
  if (commandLine === null) return true; // No /proc or no permission: assume that it owns the lock.
  if (commandLine === "") return false; // A zombie.
  if (commandLine.includes(dir)) return true;
  // Neither a helper process nor another program can own the lock.
  if (!/chrom/i.test(commandLine) || /--type=/.test(commandLine)) return false;
  // A browser started by hand may name the directory differently, or not at all.
  const named = /--user-data-dir=(\/[^\0]*)/.exec(commandLine)?.[1];
  if (named === undefined) return true;
  const [theirs, ours] = await Promise.all([named, dir].map((path) => stat(path).catch(() => null)));
  return theirs?.dev === ours?.dev && theirs?.ino === ours?.ino;
}
