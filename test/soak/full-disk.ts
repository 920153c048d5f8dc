/** A small disk for the data directory, and ways to fill it. Needs root and Linux's mount namespaces. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { endsWithBench } from "../../bench/run/ending.ts";

const diskSize = "1g";
const insideName = "TROUPE_SOAK_DISK";

/** The small disk's directory, in a process that `runOnSmallDisk` started; null otherwise. */
export const smallDiskDir = (): string | null => process.env[insideName] ?? null;

/** Why this machine cannot have a small disk; null when it can. */
export function smallDiskRefusal(): string | null {
  if (process.platform !== "linux") return "this is not Linux";
  if (process.getuid?.() !== 0) return "only root can mount a disk";
  const { status } = spawnSync("unshare", ["-m", "true"], { stdio: "ignore" });
  return status === 0 ? null : "mount namespaces are not available";
}

/** Runs this program again with `args` and a private disk mounted on `dir`. Returns its exit code. */
export async function runOnSmallDisk(dir: string, args: readonly string[]): Promise<number> {
  const mounting = `mount -t tmpfs -o size=${diskSize},mode=0700 tmpfs "$1" && shift && exec "$@"`;
  const again = [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...args];
  const child = spawn("unshare", ["-m", "sh", "-c", mounting, "sh", dir, ...again], {
    stdio: "inherit",
    env: { ...process.env, [insideName]: dir },
  });
  const closed = once(child, "close");
  const ended = endsWithBench(async () => {
    child.kill("SIGTERM");
    await closed;
  });
  const [code] = await closed;
  ended();
  return code ?? 1;
}

export interface Ballast {
  fill(): void;
  remove(): void;
}

export function openBallast(dir: string): Ballast {
  const path = join(dir, "ballast");
  const file = openSync(path, "w");
  const fill = () => {
    for (let bytes = 1 << 20; bytes >= 1; bytes >>= 4) {
      const block = Buffer.alloc(bytes, 1);
      while (written(file, block));
    }
  };
  fill();
  return {
    fill,
    remove() {
      closeSync(file);
      rmSync(path);
    },
  };
}

function written(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
