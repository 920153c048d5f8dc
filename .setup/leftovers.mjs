/**
 * Finds the processes that a test run started and did not end. What counts as ours: the run's marker stands in the
 * process's environment, or (a sandboxed script has an empty one) a temporary directory of the run's stands in its
 * command line or is its working directory.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export const markerName = "TROUPE_TEST_RUN";

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function workingDir(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** Processes of the run whose temporary directories these are, its marker the first: `{pid, command}`. Linux only; elsewhere none. */
export function processesOf(...dirs) {
  if (process.platform !== "linux") return [];
  const found = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    // No command line: a process that has ended and waits to be reaped, or one of the kernel's.
    if (command === "") continue;
    const isOurs =
      read(`/proc/${pid}/environ`).split("\0").includes(`${markerName}=${dirs[0]}`) ||
      dirs.some((dir) => command.includes(dir) || workingDir(pid).startsWith(dir));
    if (isOurs) found.push({ pid, command });
  }
  return found;
}

/** Gives processes that are just ending until `graceMs` to be gone; answers with those that stayed. */
export async function leftBehind(dirs, graceMs) {
  const endMs = performance.now() + graceMs;
  for (;;) {
    const found = processesOf(...dirs);
    if (found.length === 0 || performance.now() > endMs) return found;
    await delay(50);
  }
}

export function kill(processes) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  }
}
