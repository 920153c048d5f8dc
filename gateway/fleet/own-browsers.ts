/** Ends browsers that a killed worker left: one that hangs, or is stopped, does not see its control pipe close. */
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { procFile } from "../../actors/kernel/proc-file.ts";
import { killGroup } from "../../actors/kernel/process-group.ts";

const run = promisify(execFile);
const againMs = 100;
/** A browser ends by itself within this, with its files in order. */
const graceRounds = 20;

/** Returns when no browser has a profile of the worker open. */
export async function endBrowsersBelow(dataDir: string): Promise<void> {
  const switchOf = `--user-data-dir=${join(dataDir, "fleet", "profiles")}/`;
  for (let round = 0; ; round += 1) {
    const left = (await commands()).filter(({ command }) => command.includes(switchOf));
    if (left.length === 0) return;
    if (round >= graceRounds) for (const { pid } of left) killGroup(pid);
    await new Promise((done) => setTimeout(done, againMs));
  }
}

async function commands(): Promise<{ pid: number; command: string }[]> {
  if (process.platform !== "linux") {
    const { stdout } = await run("ps", ["-axww", "-o", "pid=,command="], { maxBuffer: 64 * 1024 ** 2 });
    return stdout.split("\n").map((line) => ({ pid: Number.parseInt(line, 10), command: line }));
  }
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => ({ pid: Number(pid), command: procFile(`/proc/${pid}/cmdline`) ?? "" }));
}
