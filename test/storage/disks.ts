/** Disks for tests: a real one that counts, fails and delays syncs, and one in memory with power cuts. */
import { basename, dirname } from "node:path";
import { type Disk, type DiskFile, nodeDisk } from "../../storage/disk.ts";

export function diskError(code: "ENOSPC" | "EIO" | "EACCES"): Error {
  return Object.assign(new Error(`${code}: refused by the test disk`), { code });
}

export interface TestDisk extends Disk {
  datasyncs: number;
  refuses: (name: string) => boolean;
  /** Writes beyond this offset of a file fail with ENOSPC. */
  sizeMax: number;
  failsSync: (name: string) => boolean;
  hold: Promise<void> | null;
}

export function testDisk(): TestDisk {
  const wrap = (path: string, file: DiskFile): DiskFile => ({
    write(bytes, offset) {
      if (disk.refuses(basename(path))) throw diskError("ENOSPC");
      const room = Math.max(0, disk.sizeMax - offset);
      file.write(bytes.subarray(0, room), offset); // A real disk also keeps what fits.
      if (bytes.length > room) throw diskError("ENOSPC");
    },
    checkThere: () => file.checkThere(),
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

/** What happens to unsynced contents and unsynced names (new, moved or removed files). */
export interface Aftermath {
  contents: "lost" | "kept" | "torn";
  names: "lost" | "kept";
}

interface Inode {
  durable: Uint8Array;
  volatile: Uint8Array;
  writes: { bytes: Uint8Array; offset: number }[];
}

/** A disk in memory that stops at the given step: every later call throws or never settles. Its directories are real. */
export class PowerDisk implements Disk {
  readonly claim = nodeDisk.claim;
  readonly makeDir = nodeDisk.makeDir;
  readonly removeEmptyDir = nodeDisk.removeEmptyDir;
  readonly removeTree = nodeDisk.removeTree;
  /** Small, because each start writes and reads a whole step. */
  readonly journalStepBytes = 32 * 1024;
  steps = 0;
  readonly #cutAt: number;
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

  restart({ contents, names }: Aftermath, cutAt?: number): PowerDisk {
    const kept = names === "lost" ? this.#durableNames : this.#names;
    const found = new Map<string, Inode>();
    for (const [name, inode] of kept) {
      const bytes = contents === "kept" ? inode.volatile : contents === "lost" ? inode.durable : torn(inode);
      found.set(name, { durable: bytes.slice(), volatile: bytes.slice(), writes: [] });
    }
    return new PowerDisk(found, cutAt);
  }

  /** The disk at the next start after a kill of the process: unsynced writes survive. */
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
      checkThere() {},
      close: () => {},
    };
  }

  read(path: string): Uint8Array | null {
    return this.#names.get(path)?.volatile.slice() ?? null; // A copy, as when reading a real file.
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

function written(before: Uint8Array, bytes: Uint8Array, offset: number): Uint8Array {
  const fits = offset + bytes.length <= before.length;
  const after = fits ? before : new Uint8Array(offset + bytes.length);
  if (!fits) after.set(before);
  after.set(bytes, offset);
  return after;
}

function torn(inode: Inode): Uint8Array {
  return inode.writes.reduce<Uint8Array>(
    (bytes, write) => written(bytes, write.bytes.subarray(0, write.bytes.length / 2), write.offset),
    inode.durable.slice(),
  );
}
