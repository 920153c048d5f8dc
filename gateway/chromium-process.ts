/** Starts the Chromium that was found. */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { spawnWhole, startErrorText } from "../actors/kernel/process-group.ts";
import { findChromium } from "./machine.ts";

/** Throws an Error that says why no process started. */
export async function startChromium(args: readonly string[], options: SpawnOptions): Promise<ChildProcess> {
  const child = spawnWhole(findChromium(), args, options);
  if (child.pid !== undefined) return child;
  const [error] = await once(child, "error");
  throw new Error(startErrorText(error));
}
