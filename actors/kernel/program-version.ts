/** The version that a browser's program states of itself. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const answerMs = 20_000;

/** What `--version` writes, such as `Chromium 142.0.7444.59`. Throws when the program does not answer. */
export async function statedVersion(path: string): Promise<string> {
  return (await run(path, ["--version"], { timeout: answerMs })).stdout.trim();
}

/** The number alone; null when there is none, or no answer. */
export async function versionNumber(path: string): Promise<string | null> {
  const stated = await statedVersion(path).catch(() => "");
  return /\d+(\.\d+)+/.exec(stated)?.[0] ?? null;
}
