/** The file operations of storage as an interface, so that tests can lose writes, count calls and fill the disk. */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { type DataDir, makeDataDir, makeDirWithParents } from "./data-dir.ts";
import { type Lock, lockDataDir } from "./lock.ts";

export interface DiskFile {
  /** Writes all bytes. They survive a power cut only after `datasync`. */
  write(bytes: Uint8Array, offset: number): void;
  /** Returns when all earlier writes and the file's size are on the disk (fdatasync). */
  datasync(): Promise<void>;
  close(): void;
}

/** Methods throw or reject with system errors: ENOSPC, EIO, EACCES. */
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
  create: (path) => fileOf(openSync(path, "w+", 0o600)),
  open: (path) => fileOf(openSync(path, "r+")),
  read(path) {
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

function fileOf(fd: number): DiskFile {
  let unsyncedBytes = 0;
  let lastSyncMs = Number.POSITIVE_INFINITY;
  return {
    write(bytes, offset) {
      let done = 0;
      while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
      unsyncedBytes += bytes.length;
    },
    async datasync() {
      const isQuick = unsyncedBytes <= quickSync.bytes && lastSyncMs <= quickSync.ms;
      unsyncedBytes = 0;
      const began = performance.now();
      if (isQuick) fdatasyncSync(fd);
      else await datasyncElsewhere(fd);
      lastSyncMs = performance.now() - began;
    },
    close: () => closeSync(fd),
  };
}

function datasyncElsewhere(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}
