/** The file operations that storage needs, as an interface: tests put disks in that lose, count or run full. */
import {
  closeSync,
  fdatasync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";

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
  /** A new empty file of mode 0600; an old one of this name is emptied. */
  create(path: string): DiskFile;
  /** An existing file, as it is. */
  open(path: string): DiskFile;
  /** The whole file; null when there is none. */
  read(path: string): Uint8Array | null;
  /** Names in a directory. */
  list(dir: string): string[];
  rename(from: string, to: string): void;
  /** No error when there is no such file. */
  remove(path: string): void;
  /** Makes renames and removals in the directory safe from a power cut. */
  syncDir(dir: string): Promise<void>;
}

/** The real disk. Writes go to the page cache on this thread, syncs wait on a thread of libuv's. */
export const nodeDisk: Disk = {
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
};

function fileOf(fd: number): DiskFile {
  return {
    write(bytes, offset) {
      let done = 0;
      while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
    },
    datasync: () =>
      new Promise((resolve, reject) => {
        fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
      }),
    close: () => closeSync(fd),
  };
}
