/** One process per data directory: a lock file that names its holder well enough to tell whether it is alive. */

import { randomUUID } from "node:crypto";
import {
  linkSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { Fault } from "../protocol/faults.ts";

/** The thread that holds a lock. A number of its own (pid, tid) comes back in time; with its start it does not. */
interface Holder {
  nonce: string;
  pid: number;
  /** Null where there is no /proc; the thread's number in this process then stands in. */
  tid: number | null;
  threadId: number;
  /** Clock ticks since boot at which the process and the thread began (/proc, field 22). */
  processStart: string | null;
  threadStart: string | null;
  boot: string | null;
  pidNamespace: string | null;
  /** The directory that is held, as the system numbers it: one that was copied has the lock of its original. */
  directory: DirectoryId;
}

interface DirectoryId {
  path: string;
  dev: number;
  ino: number;
}

export interface Lock {
  release(): void;
}

export const lockName = "lock";

/**
 * Takes the data directory for this thread. A lock left by a process, or by a thread of this process, that is proven dead is
 * taken over. Throws `conflict` with `{code: "data-dir-locked", pid}` otherwise.
 */
export function lockDataDir(dir: string): Lock {
  const path = join(dir, lockName);
  const nonce = takeOrInherit(path, describeSelf(dir));
  return {
    release() {
      if (readHolder(path)?.nonce === nonce) rmSync(path, { force: true });
    },
  };
}

/**
 * Answers the nonce in the lock. On a disk that cannot be written a thread goes on with the lock of the one before it in this process: its
 * process owns the directory all the time.
 */
function takeOrInherit(path: string, mine: Holder): string {
  try {
    take(path, mine);
    return mine.nonce;
  } catch (error) {
    const holder = error instanceof Fault ? null : readHolder(path);
    const isOurs = holder?.pid === mine.pid && holder.processStart === mine.processStart;
    if (holder !== null && isOurs && aliveness(holder, mine) === "dead") return holder.nonce;
    throw error;
  }
}

/**
 * A lock whose holder is dead may be replaced only by whoever holds that lock's own lock, named after the dead holder's nonce:
 * so of several that find it stale one goes on, and a death between two steps is found and taken over in the same way.
 */
function take(path: string, mine: Holder): void {
  const temporary = `${path}.${mine.nonce}`;
  for (;;) {
    writeHolder(temporary, mine);
    if (linked(temporary, path)) return;
    const holder = readHolder(path);
    if (holder === null) continue; // Released meanwhile.
    refuseUnlessDead(path, holder, mine);
    const succession = `${path}.after-${holder.nonce}`;
    take(succession, { ...mine, nonce: randomUUID() });
    try {
      if (readHolder(path)?.nonce !== holder.nonce) continue; // Another was first, and has let go of the succession.
      writeHolder(temporary, mine);
      renameSync(temporary, path);
      return;
    } finally {
      rmSync(succession, { force: true });
    }
  }
}

/** Synced: a power cut must not leave a lock that names nobody, which none could prove dead. */
function writeHolder(path: string, holder: Holder): void {
  try {
    writeFileSync(path, JSON.stringify(holder), { mode: 0o600, flush: true });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Gives the file a second name unless that is taken, which happens in one step; the first name goes in any case. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(from, { force: true });
  }
}

function refuseUnlessDead(path: string, holder: Holder, mine: Holder): void {
  const why = aliveness(holder, mine);
  if (why === "dead") return;
  const hint = why === "alive" ? "" : `; it cannot be seen from here: if it is gone, remove ${path}`;
  throw new Fault("conflict", `the data directory is in use by process ${holder.pid}${hint}`, {
    code: "data-dir-locked",
    pid: holder.pid,
  });
}

function aliveness(holder: Holder, mine: Holder): "alive" | "dead" | "unseen" {
  if (holder.boot !== mine.boot) return "dead";
  if (holder.pidNamespace !== mine.pidNamespace) return "unseen";
  if (isCopied(holder, mine)) return "dead";
  if (holder.processStart === null || holder.tid === null) return alivenessWithoutProc(holder);
  if (startOf(`/proc/${holder.pid}/stat`) !== holder.processStart) return "dead";
  if (holder.pid !== process.pid) return "alive"; // Its thread may be restarting: the process still owns the directory.
  return startOf(`/proc/self/task/${holder.tid}/stat`) === holder.threadStart ? "alive" : "dead";
}

/** Whether the lock was made in another directory. Numbers are compared on one running system only: elsewhere they mean nothing. */
function isCopied({ directory }: Partial<Holder>, mine: Holder): boolean {
  if (directory === undefined) return false; // An earlier release's.
  return directory.dev !== mine.directory.dev || directory.ino !== mine.directory.ino;
}

function alivenessWithoutProc(holder: Holder): "alive" | "dead" {
  // A process starts one library thread at a time, and thread numbers only grow.
  if (holder.pid === process.pid) return holder.threadId === threadId ? "alive" : "dead";
  try {
    process.kill(holder.pid, 0);
    return "alive";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH" ? "dead" : "alive";
  }
}

function describeSelf(dir: string): Holder {
  const { dev, ino } = statSync(dir);
  const tid = Number(linkOf("/proc/thread-self")?.split("/").at(-1) ?? Number.NaN);
  return {
    nonce: randomUUID(),
    pid: process.pid,
    tid: Number.isNaN(tid) ? null : tid,
    threadId,
    processStart: startOf("/proc/self/stat"),
    threadStart: startOf(`/proc/self/task/${tid}/stat`),
    boot: bootId(),
    pidNamespace: pidNamespace(),
    directory: { path: realpathSync(dir), dev, ino },
  };
}

/** Field 22 of a stat file; null when there is no such process, or it is dead and waits for its parent to notice. */
function startOf(statPath: string): string | null {
  const stat = textOf(statPath);
  // The second field is the program's name in parentheses, and may hold spaces and parentheses of its own.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields?.[0] === "Z" || fields?.[0] === "X") return null;
  return fields?.[19] ?? null;
}

function bootId(): string | null {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
}

function pidNamespace(): string | null {
  return linkOf("/proc/self/ns/pid");
}

/** Null when there is no lock. */
function readHolder(path: string): Holder | null {
  try {
    const holder: Holder = JSON.parse(readFileSync(path, "utf8")); // Ours, written whole before it got its name.
    if (typeof holder.pid === "number" && typeof holder.nonce === "string") return holder;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    // A directory, or what is no JSON.
  }
  throw new Fault("conflict", `${path} is not a lock of ours; remove it when nothing uses the directory`, {
    code: "data-dir-locked",
    pid: null,
  });
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
