/** A drive that is slow, fills up, fails to sync and loses power, with one `Disk` per library. */
import { basename, dirname } from "node:path";
import type { Disk, DiskFile } from "../../storage/disk.ts";
import type { Chance } from "./chance.ts";
import type { Life, Timeline } from "./timeline.ts";

interface Write {
  bytes: Uint8Array;
  offset: number;
}

interface Inode {
  durable: Uint8Array;
  cached: Uint8Array;
  dirty: Write[];
}

type Names = Map<string, Inode>;

const emptyInode = (): Inode => ({ durable: new Uint8Array(), cached: new Uint8Array(), dirty: [] });

export class Drive {
  full = false;
  failingSyncs = 0;
  syncMs = 2;
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  #names: Names;
  #durableNames: Names;
  /** The names after each change since the last sync of the directory. */
  #moves: Names[] = [];
  readonly #dirs = new Set<string>();
  #claimed: Life | null = null;

  constructor(timeline: Timeline, chance: Chance, image: ReadonlyMap<string, Uint8Array>) {
    this.#timeline = timeline;
    this.#chance = chance;
    this.#names = new Map(
      [...image].map(([path, bytes]) => [path, { durable: bytes.slice(), cached: bytes.slice(), dirty: [] }]),
    );
    this.#durableNames = new Map(this.#names);
  }

  image(): Map<string, Uint8Array> {
    return new Map([...this.#names].map(([path, { cached }]) => [path, cached.slice()]));
  }

  /** Keeps some unsynced writes, drops or tears others; names are as at some moment since their last sync. */
  cutPower(): void {
    const kept = this.#chance.between(0, this.#moves.length);
    this.#names = new Map(this.#moves[kept - 1] ?? this.#durableNames);
    for (const inode of new Set(this.#names.values())) {
      let bytes: Uint8Array = inode.durable.slice();
      for (const write of inode.dirty) {
        if (this.#chance.is(0.5)) continue;
        const share = this.#chance.is(0.5) ? 1 : this.#chance.next();
        bytes = written(bytes, write.bytes.subarray(0, Math.floor(write.bytes.length * share)), write.offset);
      }
      Object.assign(inode, { durable: bytes.slice(), cached: bytes, dirty: [] });
    }
    this.#moves = [];
    this.#durableNames = new Map(this.#names);
    this.failingSyncs = 0;
    this.#claimed = null;
  }

  release(): void {
    this.#claimed = null;
  }

  /** One library's access; it fails once that library's life is over. */
  disk(life: Life): Disk {
    return {
      journalStepBytes: 16 * 1024,
      create: (path) => {
        this.#use(life);
        this.#takeRoom(path);
        this.#rename(() => this.#names.set(path, emptyInode()));
        return this.#file(life, path);
      },
      open: (path) => this.#file(life, path),
      read: (path) => {
        this.#use(life);
        return this.#names.get(path)?.cached.slice() ?? null;
      },
      list: (dir) => {
        this.#use(life);
        return [...this.#names.keys(), ...this.#dirs]
          .filter((path) => dirname(path) === dir)
          .map((path) => basename(path));
      },
      rename: (from, to) => {
        this.#use(life);
        const inode = this.#inode(from);
        this.#rename(() => this.#names.set(to, inode) && this.#names.delete(from));
      },
      remove: (path) => {
        this.#use(life);
        if (this.#names.has(path)) this.#rename(() => this.#names.delete(path));
      },
      syncDir: async () => {
        const seen = new Map(this.#names);
        const moves = this.#moves.length;
        await this.#sync(life);
        this.#durableNames = seen;
        this.#moves = this.#moves.slice(moves);
      },
      claim: () => {
        if (this.#claimed !== null && !this.#claimed.over)
          throw new Error("two libraries use one data directory");
        this.#claimed = life;
        return { release: () => this.release() };
      },
      makeDir: async (path) => {
        await this.#pass(life);
        this.#takeRoom(path);
        this.#dirs.add(path);
      },
      removeEmptyDir: async (path) => {
        await this.#pass(life);
        if (![...this.#dirs].some((dir) => dirname(dir) === path)) this.#dirs.delete(path);
      },
      removeTree: async (path) => {
        await this.#pass(life);
        for (const dir of [...this.#dirs])
          if (dir === path || dir.startsWith(`${path}/`)) this.#dirs.delete(dir);
      },
    };
  }

  #use(life: Life): void {
    if (life.over) throw new Error("EIO: this thread is over");
  }

  #takeRoom(path: string): void {
    if (this.full)
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${basename(path)}`), {
        code: "ENOSPC",
      });
  }

  #rename(act: () => unknown): void {
    act();
    this.#moves.push(new Map(this.#names));
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined)
      throw Object.assign(new Error(`ENOENT: no such file, ${path}`), { code: "ENOENT" });
    return inode;
  }

  #file(life: Life, path: string): DiskFile {
    const inode = this.#inode(path);
    return {
      write: (bytes, offset) => {
        this.#use(life);
        if (offset + bytes.length > inode.cached.length) this.#takeRoom(path);
        inode.dirty.push({ bytes: bytes.slice(), offset });
        inode.cached = written(inode.cached, bytes, offset);
      },
      datasync: async () => {
        const writes = [...inode.dirty];
        try {
          await this.#sync(life);
        } catch (error) {
          // Like the kernel, which marks pages clean after a failed write-back, so that no later sync writes them.
          if (this.#chance.is(0.5)) inode.dirty = inode.dirty.filter((write) => !writes.includes(write));
          throw error;
        }
        for (const write of writes) inode.durable = written(inode.durable, write.bytes, write.offset);
        inode.dirty = inode.dirty.filter((write) => !writes.includes(write));
      },
      checkThere() {},
      close: () => {},
    };
  }

  async #sync(life: Life): Promise<void> {
    const fails = this.failingSyncs > 0;
    if (fails) this.failingSyncs -= 1;
    await this.#pass(life, this.syncMs);
    if (fails) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
  }

  /** Waits for the drive; never resolves for a life that is over. */
  #pass(life: Life, ms = 0.1): Promise<void> {
    this.#use(life);
    return new Promise((resolve) => this.#timeline.after(this.#chance.span(ms), resolve, life));
  }
}

function written(before: Uint8Array, bytes: Uint8Array, offset: number): Uint8Array {
  const fits = offset + bytes.length <= before.length;
  const after = fits ? before : new Uint8Array(offset + bytes.length);
  if (!fits) after.set(before);
  after.set(bytes, offset);
  return after;
}
