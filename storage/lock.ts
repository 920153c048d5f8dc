/** One process per data directory: a lock file that identifies its holder well enough to check whether it is alive. */

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
import { refuseNoFile } from "../protocol/file-kind.ts";

/** Identifies a thread. Process and thread numbers are reused, but not together with their start times. */
interface Holder {
  nonce: string;
  pid: number;
  tid: number | null;
  threadId: number;
  /** Clock ticks since boot when the process and thread started (/proc, field 22). */
  processStart: string | null;
  threadStart: string | null;
  boot: string | null;
  pidNamespace: string | null;
  /** Identifies the locked directory, because a copied directory contains its original's lock. */
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
 * Locks the data directory for this thread. Takes over the lock of a process or thread that is proven dead. Otherwise throws `conflict`
 * with `{code: "data-dir-locked", pid}`.
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
 * Returns the nonce in the lock. If the disk cannot be written, keeps the lock of an earlier thread of this process, because the process
 * still owns the directory.
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
 * Replaces a dead holder's lock only while holding a second lock, named after the dead holder's nonce, so that only one of several
 * contenders succeeds. A death in between is recovered in the same way.
 */
function take(path: string, mine: Holder): void {
  const temporary = `${path}.${mine.nonce}`;
  for (;;) {
    writeHolder(temporary, mine);
    if (linked(temporary, path)) return;
    const holder = readHolder(path);
    if (holder === null) continue; // Released in the meantime.
    refuseUnlessDead(path, holder, mine);
    const succession = `${path}.after-${holder.nonce}`;
    take(succession, { ...mine, nonce: randomUUID() });
    try {
      if (readHolder(path)?.nonce !== holder.nonce) continue;
      writeHolder(temporary, mine);
      renameSync(temporary, path);
      return;
    } finally {
      rmSync(succession, { force: true });
    }
  }
}

/** Synced, because after a power cut nobody could prove the holder of an empty lock dead. */
function writeHolder(path: string, holder: Holder): void {
  try {
    writeFileSync(path, JSON.stringify(holder), { mode: 0o600, flush: true });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Creates a hard link atomically, unless the target exists; removes `from` in any case. */
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
  const hint = why === "alive" ? "" : `; it cannot be checked from here; if it has ended, remove ${path}`;
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
  if (holder.pid !== process.pid) return "alive"; // Its thread may be restarting; the process still owns the directory.
  return startOf(`/proc/self/task/${holder.tid}/stat`) === holder.threadStart ? "alive" : "dead";
}

/** True if the lock belongs to another directory. Only valid within one boot, because device numbers change. */
function isCopied({ directory }: Partial<Holder>, mine: Holder): boolean {
  if (directory === undefined) return false; // Written by an earlier release.
  return directory.dev !== mine.directory.dev || directory.ino !== mine.directory.ino;
}

function alivenessWithoutProc(holder: Holder): "alive" | "dead" {
  // A process has one library thread at a time, and thread numbers only grow.
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

/** Field 22 of a stat file; null if the process does not exist or is a zombie. */
function startOf(statPath: string): string | null {
  const stat = textOf(statPath);
  // The second field is the program's name in parentheses, which can contain spaces and parentheses.
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

function readHolder(path: string): Holder | null {
  try {
    refuseNoFile(path);
    const holder: Holder = JSON.parse(readFileSync(path, "utf8")); // Trusted: written completely before it gets its name.
    if (typeof holder.pid === "number" && typeof holder.nonce === "string") return holder;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  }
  throw new Fault("conflict", `${path} is not a lock of Troupe; remove it when nothing uses the directory`, {
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
