/** The killable processes below a service, and their profiles. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

export interface Victim {
  kind: "browser" | "renderer" | "gpu" | "utility" | "runner";
  pid: number;
  /** Null for a script's process, whose command line names no profile. */
  profileId: string | null;
}

interface Entry {
  pid: number;
  parent: number;
  command: string;
}

export function victimsBelow(servicePid: number): Victim[] {
  const entries = new Map(readProcesses().map((entry) => [entry.pid, entry]));
  const found: Victim[] = [];
  for (const entry of entries.values()) {
    if (!isBelow(entries, entry, servicePid)) continue;
    const kind = kindOf(entry.command);
    if (kind !== null) found.push({ kind, pid: entry.pid, profileId: profileOf(entries, entry) });
  }
  return found;
}

function readProcesses(): Entry[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      return [{ pid: Number(name), parent: Number(parent), command }];
    } catch {
      return []; // It exited meanwhile.
    }
  });
}

function isBelow(entries: ReadonlyMap<number, Entry>, entry: Entry, ancestor: number): boolean {
  for (let at: Entry | undefined = entry; at !== undefined; at = entries.get(at.parent))
    if (at.parent === ancestor) return true;
  return false;
}

function kindOf(command: string): Victim["kind"] | null {
  const type = /--type=([a-z-]+)/.exec(command)?.[1];
  if (type === "renderer") return "renderer";
  if (type === "gpu-process") return "gpu";
  if (type === "utility") return "utility";
  if (type !== undefined) return null;
  if (command.includes("--user-data-dir=")) return "browser";
  // Its wrappers contain the flag too, as an argument.
  const isRunner = command.includes("--experimental-permission") || command.includes("--permission");
  return isRunner && /^\S*node /.test(command) ? "runner" : null;
}

function profileOf(entries: ReadonlyMap<number, Entry>, entry: Entry): string | null {
  for (let at: Entry | undefined = entry; at !== undefined; at = entries.get(at.parent)) {
    const id = /--user-data-dir=\S*\/profiles\/([0-9a-f-]{36})\//.exec(at.command)?.[1];
    if (id !== undefined) return id;
  }
  return null;
}
