/** Translates disk errors: which disk, which path, and the remedy. */
import { readFileSync, statfsSync } from "node:fs";
import { resolve } from "node:path";
import { Fault } from "./faults.ts";

export const diskRefused = "disk-refused";

const refusals: Partial<
  Record<string, (disk: string, mount: string | null) => [what: string, remedy: string]>
> = {
  ENOSPC: (disk, mount) =>
    hasNoInode(mount)
      ? [`${disk} is full: it has no inode left`, "delete some files on it"]
      : [`${disk} is full`, "free some space on it"],
  EDQUOT: (disk) => [`the quota on ${disk} is used up`, "free some space on it"],
  EROFS: (disk) => [`${disk} is read-only`, "mount it writable"],
  EIO: (disk) => [`${disk} fails`, "see the system's log; it may have to be replaced"],
  EACCES: () => ["this user has no permission", "give the user who runs Troupe permission to write there"],
  EPERM: () => ["this user has no permission", "give the user who runs Troupe permission to write there"],
  ENOENT: () => ["it does not exist", "restore it, or name another directory"],
  EEXIST: () => ["it is not a directory", "name another directory with --data"],
  ENOTDIR: () => ["a part of the path is not a directory", "name another directory with --data"],
  EMFILE: () => ["this process may open no more files", "raise the limit, as with: ulimit -n 4096"],
  ENAMETOOLONG: () => ["its name is too long for this disk", "use shorter names, or a shorter path"],
  EFBIG: () => [
    "the file would exceed the limit of this process or disk",
    "raise it, as with: ulimit -f unlimited",
  ],
  ENFILE: () => ["this machine may open no more files", "end other programs, or raise fs.file-max"],
};

/** Whether a disk takes no more writes, as opposed to a wrong path or missing rights. */
export function isWriteRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(ENOSPC|EDQUOT|EROFS)$/.test(String(error.code));
}

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
  const { disk, mount } = diskOf(path);
  const [what, remedy] = refusal(disk, mount);
  return new Fault("internal", `${path} cannot be used: ${what} (${code}); ${remedy}`, { code: diskRefused });
}

/** The fault of a system error, at the path that it names or else at `path`; any other error unchanged. */
export function systemFault(error: unknown, path: string): unknown {
  if (!isSystemError(error)) return error;
  const named: unknown = Reflect.get(Object(error), "path");
  return diskFault(error, typeof named === "string" ? named : path);
}

/** `the disk /dev/sda1 (mounted on /home)`; a generic text without /proc. */
function diskOf(path: string): { disk: string; mount: string | null } {
  const mounts = mountTable()
    .filter(({ at }) => at === "/" || path === at || resolve(path).startsWith(`${at}/`))
    .sort((a, b) => a.at.length - b.at.length);
  const last = mounts.at(-1);
  if (last === undefined) return { disk: "its disk", mount: null };
  return { disk: `the disk ${last.source} (mounted on ${last.at})`, mount: last.at };
}

/** A disk with many small files can have space but no inode. */
function hasNoInode(mount: string | null): boolean {
  if (mount === null) return false;
  try {
    const { files, ffree, bavail } = statfsSync(mount);
    return files > 0 && ffree === 0 && bavail > 0;
  } catch {
    return false;
  }
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
