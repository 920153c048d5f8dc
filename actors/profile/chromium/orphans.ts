/** Browsers that outlive a killed service: the next launch of their profile finds and ends them. */
import { stat } from "node:fs/promises";
import { limits } from "../../../protocol/limits.ts";
import { procFile } from "../../kernel/proc-file.ts";

const lookMs = 50;

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

/** Kills the browser of an earlier service. Such a browser is ending by itself, so it has `graceMs` first. */
export async function endOrphan(
  pid: number,
  dir: string,
  graceMs: number,
  servicePid: number,
): Promise<void> {
  if (!isOrphan(pid, dir, servicePid) || (await isGoneWithin(pid, graceMs))) return;
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
export async function isBrowserOf(pid: number, dir: string): Promise<boolean> {
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
