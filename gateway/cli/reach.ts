/** How a command reaches the application: the running service, else the data directory itself. */
import { resolve } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import { connectApp } from "../app-client.ts";
import { defaultDataDir, readInstance } from "../instance.ts";
import type { OfflineApi } from "../offline.ts";
import { otherVersion } from "../version.ts";

export interface DataFlag {
  data?: string;
}

export const dataDirOf = (flags: DataFlag): string => resolve(flags.data ?? defaultDataDir());

/** Throws `conflict` when no service runs. */
export function runningService(flags: DataFlag): AppApi {
  const instance = readInstance(dataDirOf(flags));
  if (instance !== null) return connectApp(instance);
  throw noService(flags);
}

/** For the default directory it mentions `--data`, which the service may have been started with. */
export function noService(flags: DataFlag): Fault {
  const dataDir = dataDirOf(flags);
  const remedy =
    flags.data === undefined
      ? "name the directory of a running one with --data DIR, or start one with: troupe serve"
      : `start one with: troupe serve --data ${dataDir}`;
  return new Fault("conflict", `no service runs on ${dataDir}; ${remedy}`);
}

/** On the running service, or on the stored data when none runs. */
export async function withApplication<T>(flags: DataFlag, act: (api: OfflineApi) => Promise<T>): Promise<T> {
  const dataDir = dataDirOf(flags);
  const instance = readInstance(dataDir);
  if (instance !== null) return act(connectApp(instance));
  const { openOffline } = await import("../offline.ts"); // Few commands need its threads and supervisor.
  const offline = await openOffline(dataDir);
  try {
    return await act(offline.api);
  } finally {
    await offline.close();
  }
}

export function serviceIfRunning(flags: DataFlag): AppApi | null {
  const instance = readInstance(dataDirOf(flags));
  return instance === null ? null : connectApp(instance);
}

/** What to do when the service that runs is of another version than this command; null when it is not. */
export const versionHint = (flags: DataFlag): string | null =>
  otherVersion(readInstance(dataDirOf(flags))?.version ?? null);
