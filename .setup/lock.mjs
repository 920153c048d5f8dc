/** Allows one set-up at a time: a lock file names its owner, and is taken over only if that process is dead. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cacheDir } from "./paths.mjs";
import { say } from "./say.mjs";

const lockPath = join(cacheDir, "setup.lock");

/** Process ids are reused, but not together with a start time. */
function startedAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return "";
  }
}

function isAlive(owner) {
  const [pid, started] = owner.split(" ");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code === "ESRCH") return false;
  }
  return startedAt(pid) === (started ?? "");
}

function readLock() {
  try {
    return readFileSync(lockPath, "utf8");
  } catch {
    return null;
  }
}

/** Moves a dead owner's lock aside. Puts it back if another process took the lock in the meantime. */
function removeStale(owner) {
  const aside = `${lockPath}.${process.pid}`;
  try {
    renameSync(lockPath, aside);
    if (readFileSync(aside, "utf8") !== owner) linkSync(aside, lockPath);
  } catch {
    // Another process was faster; the next attempt sees its lock.
  }
  rmSync(aside, { force: true });
}

export async function withLock(work) {
  mkdirSync(cacheDir, { recursive: true });
  const mine = `${process.pid} ${startedAt(process.pid)}`;
  const draft = `${lockPath}.draft-${process.pid}`;
  writeFileSync(draft, mine);
  let told = false;
  try {
    for (;;) {
      try {
        // A link appears with its content, so that nobody reads an empty lock.
        linkSync(draft, lockPath);
        break;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const owner = readLock();
      if (owner !== null && !isAlive(owner)) removeStale(owner);
      else if (owner !== null) {
        if (!told) say(`waiting for another set-up to finish (process ${owner.split(" ")[0]})`);
        told = true;
        await delay(100);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const release = () => {
    if (readLock() === mine) rmSync(lockPath, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}
