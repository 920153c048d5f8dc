/** The file operations that storage needs, as an interface: tests put disks in that lose, count or run full. */
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
import { mkdir, rm, rmdir } from "node:fs/promises";
import { type DataDir, makeDataDir } from "./data-dir.ts";
import { type Lock, lockDataDir } from "./lock.ts";

/** A file open for writing in place. */
export interface DiskFile {
  /** Writes all of `bytes`; they are safe from a power cut only after `datasync`. */
  write(bytes: Uint8Array, offset: number): void;
  /** Answers when everything written before the call is on the disk (fdatasync: the file's size included). */
  datasync(): Promise<void>;
  close(): void;
}

/** Every method throws (or rejects) with the system's own error: ENOSPC, EIO, EACCES. */
export interface Disk {
  /**
   * A journal grows by this many bytes at a time, filled with zeros, so that a commit changes neither its size nor its blocks and
   * fdatasync has no metadata to write.
   */
  readonly journalStepBytes: number;
  /** A new empty file of mode 0600; an old one of this name is emptied. */
  create(path: string): DiskFile;
  /** An existing file, as it is. */
  open(path: string): DiskFile;
  /** The whole file, in memory that is the caller's; null when there is none. */
  read(path: string): Uint8Array | null;
  /** Names in a directory. */
  list(dir: string): string[];
  rename(from: string, to: string): void;
  /** No error when there is no such file. */
  remove(path: string): void;
  /** Makes renames and removals in the directory safe from a power cut. */
  syncDir(dir: string): Promise<void>;
  /** Makes the data directory, and keeps every other library out of it. Throws as `makeDataDir` and `lockDataDir` do. */
  claim(dataDir: DataDir): Lock;
  /** With those it stands in. */
  makeDir(path: string): Promise<void>;
  /** Removes the directory if it is empty; no error when it is not, or is not there. */
  removeEmptyDir(path: string): Promise<void>;
  /** Removes a file, or a directory with all in it. */
  removeTree(path: string): Promise<void>;
}

/**
 * A sync of at most so many bytes is done on this thread, when the one before it was as quick as this: a hop to a thread of libuv's
 * and back costs a quarter of such a sync, and whoever asks meanwhile would wait for it all the same.
 */
const quickSync = { bytes: 64 * 1024, ms: 1 };

/** The real disk. Writes go to the page cache on this thread; syncs too while they are short and quick, others wait elsewhere. */
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
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  async removeEmptyDir(path) {
    await rmdir(path).catch(() => {});
  },
  // Retried: a browser that has just ended may still be writing into its directory.
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
