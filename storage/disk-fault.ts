/** Translates disk errors: which disk, which path, and the remedy. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Fault } from "../protocol/faults.ts";

export const diskRefused = "disk-refused";

const refusals: Partial<Record<string, (disk: string) => [what: string, remedy: string]>> = {
  ENOSPC: (disk) => [`${disk} is full`, "free some space on it"],
  EDQUOT: (disk) => [`the quota on ${disk} is used up`, "free some space on it"],
  EROFS: (disk) => [`${disk} is read-only`, "mount it writable"],
  EIO: (disk) => [`${disk} fails`, "see the system's log; it may have to be replaced"],
  EACCES: () => ["this user has no permission", "give the user who runs Troupe permission to write there"],
  EPERM: () => ["this user has no permission", "give the user who runs Troupe permission to write there"],
  ENOENT: () => ["it does not exist any more", "restore it, or start with another --data directory"],
  EEXIST: () => ["it is not a directory", "name another directory with --data"],
  ENOTDIR: () => ["a part of the path is not a directory", "name another directory with --data"],
  EMFILE: () => ["this process may open no more files", "raise the limit, as with: ulimit -n 4096"],
  ENFILE: () => ["this machine may open no more files", "end other programs, or raise fs.file-max"],
};

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Returns the fault for a failed operation on `path`; faults pass unchanged. */
export function diskFault(error: unknown, path: string): Fault {
  if (error instanceof Fault) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const refusal = refusals[code];
  if (refusal === undefined) return new Fault("internal", `${path}: ${text}`, { code: diskRefused });
  const [what, remedy] = refusal(diskOf(path));
  return new Fault("internal", `${path} cannot be used: ${what} (${code}); ${remedy}`, { code: diskRefused });
}

/** The fault of a system error, at the path that it names or else at `path`; any other error unchanged. */
export function systemFault(error: unknown, path: string): unknown {
  if (!isSystemError(error)) return error;
  const named: unknown = Reflect.get(Object(error), "path");
  return diskFault(error, typeof named === "string" ? named : path);
}

/** `the disk /dev/sda1 (mounted on /home)`; a generic text without /proc. */
function diskOf(path: string): string {
  const mounts = mountTable()
    .filter(({ at }) => at === "/" || path === at || resolve(path).startsWith(`${at}/`))
    .sort((a, b) => a.at.length - b.at.length);
  const last = mounts.at(-1);
  return last === undefined ? "its disk" : `the disk ${last.source} (mounted on ${last.at})`;
}

function mountTable(): { source: string; at: string }[] {
  try {
    const lines = readFileSync("/proc/self/mounts", "utf8").trim().split("\n");
    return lines.map((line) => {
      const [source = "", at = ""] = line.split(" ");
      // The kernel escapes blanks in octal.
      return {
        source,
        at: at.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8))),
      };
    });
  } catch {
    return [];
  }
}
