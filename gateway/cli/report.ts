/** `troupe doctor --report`: what a bug report needs, without secrets and names. Works with a service that hangs or does not run. */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, hostname, release, totalmem, type, userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { Profile, Run } from "../../protocol/records.ts";
import { secretless } from "../../protocol/without-secrets.ts";
import { logFileIn, readInstance } from "../instance.ts";
import { homeDir, procFile } from "../machine.ts";
import { packageVersion } from "../version.ts";
import { createAnonymizer } from "./anonymous.ts";
import { openApi } from "./api.ts";
import type { Finding } from "./doctor.ts";
import { newFileRefusal } from "./new-file.ts";
import { type DataFlag, dataDirOf, runningService } from "./reach.ts";

const logLinesMax = 300;
const logBytesMax = 256 * 1024;

/** Writes a new file and returns its path. `named` null: a name with the time, in the current directory. */
export async function writeReport(
  flags: DataFlag,
  findings: readonly Finding[],
  named: string | null,
): Promise<string> {
  const made = new Date().toISOString();
  const path = resolve(named ?? `troupe-report-${made.slice(0, 19).replaceAll(/[^\dT]/g, "")}.json`);
  const dataDir = dataDirOf(flags);
  const hangs = findings.some(({ name, ok }) => name === "service" && !ok);
  const asked = await askService(flags, hangs);
  const home = homeDir();
  const anonymous = createAnonymizer({
    dirs: [[dataDir, "DATA"], ...(home === null ? [] : [[home, "~"] as const])],
    user: userName(),
    machine: hostname(),
    names: asked.names,
  });
  const report = {
    made,
    versions: versions(findings),
    findings,
    machine: machine(dataDir),
    service: { process: serviceProcess(dataDir), ...asked.shown },
    dataDir: sizesIn(dataDir),
    log: lastLines(logFileIn(dataDir)),
  };
  const clean = (name: string, value: unknown) => {
    const shown = secretless(name, value);
    return typeof shown === "string" ? anonymous(shown) : shown;
  };
  try {
    writeFileSync(path, `${JSON.stringify(report, clean, 2)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw newFileRefusal(error, path, "--report");
  }
  return path;
}

function versions(findings: readonly Finding[]): object {
  const distribution = procFile("/etc/os-release") ?? "";
  return {
    troupe: packageVersion(),
    node: process.version,
    chromium: findings.find(({ name }) => name === "chromium")?.finding ?? null,
    kernel: `${type()} ${release()} ${process.arch}`,
    distribution: /^PRETTY_NAME="?([^"\n]*)/m.exec(distribution)?.[1] ?? null,
  };
}

const mib = (bytes: number) => Math.round(bytes / 1024 ** 2);

function machine(dataDir: string): object {
  return {
    cores: availableParallelism(),
    memoryMib: mib(totalmem()),
    memoryAvailableMib: mib(process.availableMemory()),
    openFilesLimit: /^Max open files +(\S+)/m.exec(procFile("/proc/self/limits") ?? "")?.[1] ?? null,
    disk: orWhy(() => {
      const { bavail, blocks, bsize, ffree } = statfsSync(dataDir);
      return { freeMib: mib(bavail * bsize), sizeMib: mib(blocks * bsize), inodesFree: ffree };
    }),
  };
}

/** Read from the kernel, because the process may hang. */
function serviceProcess(dataDir: string): unknown {
  const pid = readInstance(dataDir)?.pid;
  if (pid === undefined) return "not running";
  const status = procFile(`/proc/${pid}/status`) ?? "";
  const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, "m").exec(status)?.[1] ?? null;
  return {
    pid,
    state: field("State"),
    memory: field("VmRSS"),
    memoryPeak: field("VmHWM"),
    threads: field("Threads"),
    openDescriptors: orWhy(() => readdirSync(`/proc/${pid}/fd`).length),
  };
}

interface Asked {
  shown: object;
  names: Map<string, string>;
}

/** What only the service knows. */
async function askService(flags: DataFlag, hangs: boolean): Promise<Asked> {
  const names = new Map<string, string>();
  if (hangs || readInstance(dataDirOf(flags)) === null) return { shown: {}, names };
  try {
    const app = runningService(flags);
    const api = openApi({ data: dataDirOf(flags) });
    const get = <Reply>(path: string) => api.call<Reply>({ method: "GET", path });
    const { active, max, queued, memoryShort, uptimeSecs } = await app.status({});
    const profiles = await get<Profile[]>("/v1/profiles");
    const scripts = await app.listScripts({});
    for (const { id, name, slug, proxy } of profiles) {
      for (const word of [name, slug]) names.set(word, `profile ${id}`);
      if (proxy.enabled) names.set(proxy.host, "proxy-host");
    }
    for (const { id, name } of scripts) names.set(name, `script ${id}`);
    const counts = {
      profiles: profiles.length,
      profilesWithProxy: profiles.filter(({ proxy }) => proxy.enabled).length,
      scripts: scripts.length,
      newestRuns: countedBy((await get<Run[]>("/v1/runs?limit=100")).map(({ status }) => status)),
      schedules: (await get<unknown[]>("/v1/schedules")).length,
    };
    const settings = await app.readSettings({});
    return { shown: { uptimeSecs, capacity: { active, max, queued, memoryShort }, counts, settings }, names };
  } catch (error) {
    return { shown: { error: error instanceof Error ? error.message : String(error) }, names };
  }
}

function countedBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** Files with their bytes, directories with their number of entries; of profiles and runs, no name. */
function sizesIn(dataDir: string): unknown {
  return orWhy(() =>
    Object.fromEntries(
      readdirSync(dataDir, { withFileTypes: true }).map((entry) => [
        entry.name,
        orWhy(() => {
          const path = join(dataDir, entry.name);
          return entry.isDirectory() ? { entries: readdirSync(path).length } : { bytes: statSync(path).size };
        }),
      ]),
    ),
  );
}

/** The end of the log's file; lines of JSON as objects. */
function lastLines(path: string): unknown {
  return orWhy(() => {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, logBytesMax));
      const length = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      const lines = bytes.toString("utf8", 0, length).split("\n");
      if (size > bytes.length) lines.shift(); // Its beginning is missing.
      return lines
        .filter((line) => line !== "")
        .slice(-logLinesMax)
        .map(parsed);
    } finally {
      closeSync(file);
    }
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** The value, or the reason why there is none: a report is written whatever is broken. */
function orWhy(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return ""; // A container's user has no name.
  }
}
