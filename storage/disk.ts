/** The file operations of storage as an interface, so that tests can lose writes, count calls and fill the disk. */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { refuseNoFile } from "../protocol/file-kind.ts";
import { type DataDir, makeDataDir, makeDirWithParents } from "./data-dir.ts";
import { type Lock, lockDataDir } from "./lock.ts";

export interface DiskFile {
  /** Writes all bytes. They survive a power cut only after `datasync`. */
  write(bytes: Uint8Array, offset: number): void;
  /** Returns when all earlier writes and the file's size are on the disk (fdatasync). Throws as `checkThere`. */
  datasync(): Promise<void>;
  /** Throws ENOENT when its directory was deleted, moved or replaced: what is written there is not found again. */
  checkThere(): void;
  close(): void;
}

/** Methods throw or reject with system errors: ENOSPC, EIO, EACCES. Those of files throw `internal` for anything but a regular file. */
export interface Disk {
  /** Journals grow by this many zeros at a time, so that most commits change neither size nor blocks and fdatasync writes no metadata. */
  readonly journalStepBytes: number;
  create(path: string): DiskFile;
  open(path: string): DiskFile;
  /** The whole file in a new buffer; null if it does not exist. */
  read(path: string): Uint8Array | null;
  list(dir: string): string[];
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Makes renames and removals in the directory durable. */
  syncDir(dir: string): Promise<void>;
  /** Creates and locks the data directory. Throws like `makeDataDir` and `lockDataDir`. */
  claim(dataDir: DataDir): Lock;
  makeDir(path: string): Promise<void>;
  /** Ignores a missing or non-empty directory. */
  removeEmptyDir(path: string): Promise<void>;
  removeTree(path: string): Promise<void>;
}

/** Syncs up to this size run on this thread if the last one was this fast, because a hop to a libuv thread is relatively slow. */
const quickSync = { bytes: 64 * 1024, ms: 1 };

/** The real disk. Writes go to the page cache on this thread; long or slow syncs run on another thread. */
export const nodeDisk: Disk = {
  journalStepBytes: 1024 * 1024,
  create(path) {
    refuseNoFile(path);
    return fileOf(openSync(path, "w+", 0o600), dirname(path));
  },
  open(path) {
    refuseNoFile(path);
    return fileOf(openSync(path, "r+"), dirname(path));
  },
  read(path) {
    refuseNoFile(path);
    try {
      return readFileSync(path);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      throw error;
    }
  },
  list: (dir) => readdirSync(dir),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  async syncDir(dir) {
    const fd = openSync(dir, "r");
    try {
      await new Promise<void>((resolve, reject) => {
        fsync(fd, (error) => (error === null ? resolve() : reject(error)));
      });
    } finally {
      closeSync(fd);
    }
  },
  claim(dataDir) {
    makeDataDir(dataDir);
    return lockDataDir(dataDir.root);
  },
  async makeDir(path) {
    makeDirWithParents(path);
  },
  async removeEmptyDir(path) {
    await rmdir(path).catch(() => {});
  },
  // Retries, because an ending browser may still write into its directory.
  removeTree: (path) => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }),
};

function checkThere(fd: number, dir: string, home: number | undefined): void {
  if (fstatSync(fd).nlink > 0 && inodeOf(dir) === home) return;
  throw Object.assign(new Error(`${dir} was deleted, moved or replaced`), {
    code: "ENOENT",
    syscall: "stat",
    path: dir,
  });
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function fileOf(fd: number, dir: string): DiskFile {
  const home = inodeOf(dir);
  let unsyncedBytes = 0;
  let lastSyncMs = Number.POSITIVE_INFINITY;
  return {
    write(bytes, offset) {
      let done = 0;
      while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
      unsyncedBytes += bytes.length;
    },
    async datasync() {
      const wrote = unsyncedBytes > 0;
      const isQuick = unsyncedBytes <= quickSync.bytes && lastSyncMs <= quickSync.ms;
      unsyncedBytes = 0;
      const began = performance.now();
      if (isQuick) fdatasyncSync(fd);
      else await datasyncElsewhere(fd);
      lastSyncMs = performance.now() - began;
      if (wrote) checkThere(fd, dir, home);
    },
    checkThere: () => checkThere(fd, dir, home),
    close: () => closeSync(fd),
  };
}

function datasyncElsewhere(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}
