/** One set-up at a time: a lock file that names its owner, and is taken over only from an owner that has died. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cacheDir } from "./paths.mjs";
import { say } from "./say.mjs";

const lockPath = join(cacheDir, "setup.lock");

/** A process id alone may have been given away again; with its start time it names one process. */
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

/** Moves a dead owner's lock aside; puts it back when somebody took the lock between our look and our move. */
function removeStale(owner) {
  const aside = `${lockPath}.${process.pid}`;
  try {
    renameSync(lockPath, aside);
    if (readFileSync(aside, "utf8") !== owner) linkSync(aside, lockPath);
  } catch {
    // Somebody else was quicker; the next attempt sees what they left.
  }
  rmSync(aside, { force: true });
}

/** Runs `work` while holding the lock; waits for a living owner and says so once. */
export async function withLock(work) {
  mkdirSync(cacheDir, { recursive: true });
  const mine = `${process.pid} ${startedAt(process.pid)}`;
  const draft = `${lockPath}.draft-${process.pid}`;
  writeFileSync(draft, mine);
  let told = false;
  try {
    for (;;) {
      try {
        // A link appears with its content: nobody ever reads an empty lock.
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
