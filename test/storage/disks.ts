/** Disks for tests: one that counts and can be told to refuse or to hold a sync, and one in memory whose power can be cut. */
import { basename, dirname } from "node:path";
import { type Disk, type DiskFile, nodeDisk } from "../../storage/disk.ts";

/** The error that the system gives when a disk is full. */
export function diskError(code: "ENOSPC" | "EIO" | "EACCES"): Error {
  return Object.assign(new Error(`${code}: said the disk`), { code });
}

export interface TestDisk extends Disk {
  /** Syncs of file contents so far. */
  datasyncs: number;
  /** Names of files that refuse to be written. */
  refuses: (name: string) => boolean;
  /** The disk is full beyond this offset of a file. */
  sizeMax: number;
  /** Syncs of files that fail. */
  failsSync: (name: string) => boolean;
  /** While set, syncs wait for it. */
  hold: Promise<void> | null;
}

/** The real disk, watched and troubled. */
export function testDisk(): TestDisk {
  const wrap = (path: string, file: DiskFile): DiskFile => ({
    write(bytes, offset) {
      if (disk.refuses(basename(path))) throw diskError("ENOSPC");
      const room = Math.max(0, disk.sizeMax - offset);
      file.write(bytes.subarray(0, room), offset); // As a real one: what still fits is there.
      if (bytes.length > room) throw diskError("ENOSPC");
    },
    async datasync() {
      disk.datasyncs++;
      await disk.hold;
      if (disk.failsSync(basename(path))) throw diskError("EIO");
      await file.datasync();
    },
    close: () => file.close(),
  });
  const disk: TestDisk = {
    ...nodeDisk,
    datasyncs: 0,
    refuses: () => false,
    sizeMax: Number.POSITIVE_INFINITY,
    failsSync: () => false,
    hold: null,
    create: (path) => wrap(path, nodeDisk.create(path)),
    open: (path) => wrap(path, nodeDisk.open(path)),
  };
  return disk;
}

/** What a power cut leaves of what was not synced: of contents, and of names (new, moved or removed files). */
export interface Aftermath {
  contents: "lost" | "kept" | "torn";
  names: "lost" | "kept";
}

interface Inode {
  durable: Uint8Array;
  volatile: Uint8Array;
  /** Writes since the last sync. */
  writes: { bytes: Uint8Array; offset: number }[];
}

/** A disk in memory that goes silent at the given step: every later call throws or never answers. Its directories are real ones. */
export class PowerDisk implements Disk {
  readonly claim = nodeDisk.claim;
  readonly makeDir = nodeDisk.makeDir;
  readonly removeEmptyDir = nodeDisk.removeEmptyDir;
  readonly removeTree = nodeDisk.removeTree;
  /** Small: the megabyte of a real disk, written and read anew at each start, took half of the tests' time. */
  readonly journalStepBytes = 32 * 1024;
  steps = 0;
  readonly #cutAt: number;
  /** The error that a step ends in, in place of being done; undefined when it is done. */
  refuses: (step: number) => Error | undefined = () => undefined;
  #names: Map<string, Inode>;
  #durableNames: Map<string, Inode>;

  constructor(names = new Map<string, Inode>(), cutAt = Number.POSITIVE_INFINITY) {
    this.#names = names;
    this.#durableNames = new Map(names);
    this.#cutAt = cutAt;
  }

  get dark(): boolean {
    return this.steps >= this.#cutAt;
  }

  /** The disk as the next start finds it. */
  restart({ contents, names }: Aftermath, cutAt?: number): PowerDisk {
    const kept = names === "lost" ? this.#durableNames : this.#names;
    const found = new Map<string, Inode>();
    for (const [name, inode] of kept) {
      const bytes = contents === "kept" ? inode.volatile : contents === "lost" ? inode.durable : torn(inode);
      found.set(name, { durable: bytes.slice(), volatile: bytes.slice(), writes: [] });
    }
    return new PowerDisk(found, cutAt);
  }

  /** The disk as the next start finds it when only the process died: what it wrote is there, synced or not. */
  afterKill(): PowerDisk {
    const disk = new PowerDisk(this.#names);
    disk.#durableNames = this.#durableNames;
    return disk;
  }

  #step(): void {
    if (this.dark) throw new Error("no power");
    this.steps++;
    const refusal = this.refuses(this.steps);
    if (refusal !== undefined) throw refusal;
  }

  create(path: string): DiskFile {
    this.#step();
    this.#names.set(path, { durable: new Uint8Array(), volatile: new Uint8Array(), writes: [] });
    return this.open(path);
  }

  open(path: string): DiskFile {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new Error(`no file ${path}`);
    return {
      write: (bytes, offset) => {
        this.#step();
        inode.writes.push({ bytes: bytes.slice(), offset });
        inode.volatile = written(inode.volatile, bytes, offset);
      },
      datasync: async () => {
        this.#step();
        const seen = inode.volatile.slice();
        const writes = inode.writes;
        const turns = Math.min(8, 1 + writes.reduce((sum, write) => sum + write.bytes.length, 0) / 2048);
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        if (this.dark) return new Promise(() => {});
        inode.durable = seen;
        inode.writes = inode.writes.filter((write) => !writes.includes(write));
      },
      close: () => {},
    };
  }

  read(path: string): Uint8Array | null {
    return this.#names.get(path)?.volatile.slice() ?? null; // As of a real file: memory of the reader's own.
  }

  list(dir: string): string[] {
    return [...this.#names.keys()].filter((path) => dirname(path) === dir).map((path) => basename(path));
  }

  rename(from: string, to: string): void {
    this.#step();
    const inode = this.#names.get(from);
    if (inode === undefined) throw new Error(`no file ${from}`);
    this.#names.set(to, inode);
    this.#names.delete(from);
  }

  remove(path: string): void {
    this.#step();
    this.#names.delete(path);
  }

  async syncDir(): Promise<void> {
    this.#step();
    this.#durableNames = new Map(this.#names);
  }
}

/** In place when there is room. */
function written(before: Uint8Array, bytes: Uint8Array, offset: number): Uint8Array {
  const fits = offset + bytes.length <= before.length;
  const after = fits ? before : new Uint8Array(offset + bytes.length);
  if (!fits) after.set(before);
  after.set(bytes, offset);
  return after;
}

/** The first half of each write that was not synced has arrived. */
function torn(inode: Inode): Uint8Array {
  return inode.writes.reduce<Uint8Array>(
    (bytes, write) => written(bytes, write.bytes.subarray(0, write.bytes.length / 2), write.offset),
    inode.durable.slice(),
  );
}
