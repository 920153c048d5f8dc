/** The file through which the command line finds a running service: its address and a secret for this user only. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { neededHomeDir } from "../actors/kernel/home-dir.ts";
import { logFileName } from "../actors/kernel/log-file.ts";
import { systemFault } from "../protocol/disk-fault.ts";
import { isFile, refuseNoFile } from "../protocol/file-kind.ts";

export interface Instance {
  pid: number;
  url: string;
  /** Bearer token of the application listener; new at every start. */
  secret: string;
  /** Null of an older service, which does not say. */
  version: string | null;
}

/** Throws `invalid` for a user without a home directory. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === "darwin") return join(neededHomeDir(), "Library", "Application Support", "Troupe");
  if (platform === "win32") {
    return join(env.LOCALAPPDATA ?? join(neededHomeDir(), "AppData", "Local"), "Troupe");
  }
  const base = env.XDG_DATA_HOME ?? "";
  // The XDG specification ignores a relative path: each working directory would have data of its own.
  return join(isAbsolute(base) ? base : join(neededHomeDir(), ".local", "share"), "troupe");
}

/** Where the service keeps its log. */
export const logDir = (dataDir: string) => join(dataDir, "logs");
export const logFileIn = (dataDir: string) => join(logDir(dataDir), logFileName);

const pagePortFile = (dataDir: string) => join(dataDir, "page-port");

/** The port of the control page at the last start; 0 without one. */
export function lastPagePort(dataDir: string): number {
  try {
    const port = Number(readFileSync(pagePortFile(dataDir), "utf8"));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch {
    return 0;
  }
}

/** A disk that refuses it costs an open page no more than a new link. */
export function keepPagePort(dataDir: string, port: number): void {
  try {
    writeFileSync(pagePortFile(dataDir), String(port), { mode: 0o600 });
  } catch {
    // Most of what follows needs the disk, and says so.
  }
}

const fileOf = (dataDir: string) => join(dataDir, "instance.json");

/** Throws `internal` when anything but a file has its name, or the disk refuses; then it leaves no file of half the text. */
export function writeInstance(dataDir: string, instance: Instance): void {
  const file = fileOf(dataDir);
  refuseNoFile(file);
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw systemFault(error, file);
  }
}

export function removeInstance(dataDir: string): void {
  const file = fileOf(dataDir);
  if (isFile(file)) rmSync(file, { force: true });
}

/** Null when there is none, or when its process has ended. */
export function readInstance(dataDir: string): Instance | null {
  const file = fileOf(dataDir);
  let value: unknown;
  try {
    if (!isFile(file)) return null;
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { pid, url, secret, version } = value as Partial<Instance>;
  if (typeof pid !== "number" || typeof url !== "string" || typeof secret !== "string") return null;
  return lives(pid) ? { pid, url, secret, version: typeof version === "string" ? version : null } : null;
}

/** Whether this user has a process of that id. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
