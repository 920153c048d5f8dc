/**
 * Finds processes that a test run started and did not end: those with the run's marker in the environment, or (for sandboxed scripts,
 * whose environment is empty) with its temporary directory in the command line or as working directory.
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

/** Processes of the run with these temporary directories (the first is its marker), as `{pid, command}`. Linux only; elsewhere empty. */
export function processesOf(...dirs) {
  if (process.platform !== "linux") return [];
  const found = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    if (command === "") continue;
    const isOurs =
      read(`/proc/${pid}/environ`).split("\0").includes(`${markerName}=${dirs[0]}`) ||
      dirs.some((dir) => command.includes(dir) || workingDir(pid).startsWith(dir));
    if (isOurs) found.push({ pid, command });
  }
  return found;
}

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
      // It has ended.
    }
  }
}
