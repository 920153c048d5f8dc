/** The memory that is left on this machine, and in the control groups (v1 and v2) that this process is in. */
import { freemem } from "node:os";
import { join } from "node:path";
import { procFile } from "./proc-file.ts";

export interface MemoryLeft {
  /** What programs may still take; file caches count as free. */
  availableBytes: number;
  /** Share of the last 10 s in which all programs waited for memory, in percent; 0 where the kernel does not say. */
  stalledPercent: number;
}

/** File names of a group, by version. */
const versions = [
  {
    line: /^0::(.*)$/m,
    mount: "/sys/fs/cgroup",
    limits: ["memory.max", "memory.high"],
    used: "memory.current",
    cache: /^(?:in)?active_file (\d+)$/gm,
  },
  {
    line: /^\d+:(?:[\w,]*,)?memory(?:,[\w,]*)?:(.*)$/m,
    mount: "/sys/fs/cgroup/memory",
    limits: ["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    cache: /^total_(?:in)?active_file (\d+)$/gm,
  },
] as const;

export function memoryLeft(read: (path: string) => string | null = procFile): MemoryLeft {
  const info = /^MemAvailable:\s+(\d+) kB$/m.exec(read("/proc/meminfo") ?? "");
  // Without /proc, as where it is hidden from ordinary users, Node's figure is 0.
  if (info === null) return { availableBytes: process.availableMemory() || freemem(), stalledPercent: 0 };
  const groups = groupsOf(read);
  const left = groups.map(({ dir, version }) => leftIn(dir, version, read));
  const stalls = [...groups.map(({ dir }) => join(dir, "memory.pressure")), "/proc/pressure/memory"].map(
    read,
  );
  return {
    availableBytes: Math.min(Number(info[1]) * 1024, ...left),
    stalledPercent: Math.max(0, ...stalls.map(stalledOf)),
  };
}

type Version = (typeof versions)[number];

/** This process's group of each version, and those above, whose limits hold as well. */
function groupsOf(read: (path: string) => string | null): { dir: string; version: Version }[] {
  const own = read("/proc/self/cgroup") ?? "";
  return versions.flatMap((version) => {
    const path = version.line.exec(own)?.[1];
    if (path === undefined) return [];
    const names = path.split("/").filter((name) => name !== "");
    const dirs = names.map((_, at) => join(version.mount, ...names.slice(0, at + 1)));
    return [version.mount, ...dirs].map((dir) => ({ dir, version })); // In a container only the mount may exist.
  });
}

function leftIn(
  dir: string,
  { limits, used, cache }: Version,
  read: (path: string) => string | null,
): number {
  const most = Math.min(...limits.map((name) => bytesOf(read(join(dir, name)))));
  if (!Number.isFinite(most)) return Number.POSITIVE_INFINITY;
  const cached = [...(read(join(dir, "memory.stat")) ?? "").matchAll(cache)];
  const free = cached.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  return most - Number(read(join(dir, used)) ?? 0) + free;
}

/** `max`, and a missing file, are no limit. */
const bytesOf = (text: string | null) =>
  /^\d+\s*$/.test(text ?? "") ? Number(text) : Number.POSITIVE_INFINITY;

const stalledOf = (text: string | null) => Number(/^full avg10=([\d.]+)/m.exec(text ?? "")?.[1] ?? 0);
