/** `troupe doctor`: checks what the service needs of this machine. */
import { accessSync, constants, existsSync, type StatsFs, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { whyUnfit } from "../../protocol/data-dir-fit.ts";
import { systemFault } from "../../protocol/disk-fault.ts";
import { faultRecord } from "../../protocol/faults.ts";
import { probeIsolation } from "../isolation-min.ts";
import {
  browsersByMemory,
  fewOpenFiles,
  findChromium,
  hasDisplay,
  lacksInit,
  memoryLeft,
  startsPrograms,
  statedVersion,
  weightOf,
  weightsFile,
} from "../machine.ts";
import { useFitTempDir } from "../temp-dir.ts";
import { type DataFlag, dataDirOf, serviceIfRunning, versionHint } from "./reach.ts";

export interface Finding {
  name: string;
  ok: boolean;
  finding: string;
  /** What to do about it, where the finding does not say. */
  remedy?: string;
}

/** The last lines of `troupe doctor`: what to do, or what to do next. */
export function advice(findings: readonly Finding[]): string {
  const todo = findings.filter(({ ok, remedy }) => !ok || remedy !== undefined);
  if (todo.length > 0)
    return [
      "What to do:",
      ...todo.map(({ name, finding, remedy }) => `- ${name}: ${remedy ?? finding}`),
    ].join("\n");
  const runs = findings.some(({ name, finding }) => name === "service" && finding !== notRunning);
  return `Nothing is missing. Next: ${runs ? "troupe open" : "troupe, which starts the service, or troupe demo"}.`;
}

const notRunning = "not running";

export async function examine(flags: DataFlag): Promise<Finding[]> {
  useFitTempDir(dataDirOf(flags));
  return [
    nodeVersion(),
    await chromium(),
    display(),
    memory(flags),
    openFiles(),
    dataDir(dataDirOf(flags)),
    await isolation(),
    processes(),
    await service(flags),
  ];
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  if (ok) return { name: "node", ok, finding: process.version };
  const remedy = "install Node 22 or newer";
  return { name: "node", ok, finding: `${process.version}; 20.19 or newer is needed`, remedy };
}

async function chromium(): Promise<Finding> {
  try {
    const path = findChromium();
    const stated = await statedVersion(path);
    return { name: "chromium", ok: true, finding: `${stated} (${path})` };
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    const remedy = process.env.CHROMIUM_PATH
      ? "unset CHROMIUM_PATH, or set it to a Chromium that starts"
      : "troupe chromium install";
    return { name: "chromium", ok: false, finding, remedy };
  }
}

function display(): Finding {
  const finding = hasDisplay() ? "windows can open" : "none: every launch is headless, and its reply says so";
  return { name: "display", ok: true, finding };
}

function memory(flags: DataFlag): Finding {
  const gib = (memoryLeft().availableBytes / 1024 ** 3).toFixed(1);
  const browsers = browsersByMemory(weightOf(weightsFile(dataDirOf(flags))));
  return { name: "memory", ok: true, finding: `${gib} GiB available: ${browsers} browsers at once` };
}

function openFiles(): Finding {
  const few = fewOpenFiles();
  return { name: "files", ok: few === null, finding: few ?? "enough can be open at once" };
}

function processes(): Finding {
  const lack = lacksInit();
  return { name: "processes", ok: lack === null, finding: lack ?? `started ${startsPrograms}` };
}

export function dataDir(path: string, check: (path: string, mode: number) => void = accessSync): Finding {
  const room = diskRoom(path);
  if (room !== null) return { name: "data", ok: false, finding: room };
  const here = nearest(path);
  try {
    if (!statSync(here).isDirectory())
      return { name: "data", ok: false, finding: `${here} is not a directory; name another one with --data` };
    check(here, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EROFS")
      return { name: "data", ok: false, finding: faultRecord(systemFault(error, here)).message };
    const what = here === path ? path : `${path} cannot be created: ${here}`;
    return {
      name: "data",
      ok: false,
      finding: `${what} is not readable and writable for this user; change its owner or its permissions, or name another directory with --data`,
    };
  }
  if (here !== path) return { name: "data", ok: true, finding: `${path} (created at the first start)` };
  const unfit = whyUnfit(path);
  if (unfit !== null) return { name: "data", ok: false, finding: unfit };
  const open = process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;
  const finding = open
    ? `${path} can be opened by other users; the next start of the service removes their access`
    : path;
  return { name: "data", ok: true, finding };
}

/** The path itself, else the nearest above it that exists. */
function nearest(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** Less makes storage or a launch fail soon. */
const freeMibMin = 100;

export type DiskState = Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">;

/** What the disk of a data directory lacks, and the remedy; null when it has room. Some file systems count no inodes. */
export function diskRoom(
  path: string,
  read: (path: string) => DiskState = (at) => statfsSync(at),
): string | null {
  let state: DiskState;
  try {
    state = read(nearest(path));
  } catch {
    return null; // Another finding says that the directory cannot be used.
  }
  const mib = Math.floor((state.bavail * state.bsize) / 1024 ** 2);
  if (mib < freeMibMin)
    return `${path} has only ${mib} MiB left on its disk; free at least ${freeMibMin} MiB`;
  if (state.files > 0 && state.ffree === 0)
    return `${path} has no inode left on its disk; remove some files there`;
  return null;
}

async function isolation(): Promise<Finding> {
  const { level, missing, summary } = await probeIsolation();
  const lack =
    missing === null
      ? ""
      : `; ${missing}; unapproved scripts are refused unless the setting isolationMin allows them`;
  const remedy =
    missing === null || process.platform !== "linux"
      ? {} // Elsewhere nothing can be installed for it.
      : { remedy: "isolate scripts, on Debian with: apt-get install bubblewrap" };
  return { name: "scripts", ok: true, finding: `${level}: ${summary}${lack}`, ...remedy };
}

async function service(flags: DataFlag): Promise<Finding> {
  const api = serviceIfRunning(flags);
  if (api === null) return { name: "service", ok: true, finding: notRunning };
  const hint = versionHint(flags);
  try {
    const { pid, apiUrl, active, max } = await api.status({});
    return {
      name: "service",
      ok: true,
      finding: `pid ${pid}, API ${apiUrl ?? "off"}, ${active} of ${max} browsers`,
      ...(hint === null ? {} : { remedy: hint }),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { name: "service", ok: false, finding: `does not answer: ${why}` };
  }
}
