/** A database that survives disk errors: restores its state from disk, answers reads, and accepts writes when the disk works again. */
import { join } from "node:path";
import { diskFault, diskRefused } from "../protocol/disk-fault.ts";
import { Fault } from "../protocol/faults.ts";
import type { Database, DatabaseOptions } from "./database.ts";
import { Journal, journalName } from "./journal.ts";
import { openDatabase, resumed } from "./open-database.ts";
import { type Recovered, recover, type Tail } from "./recovery.ts";
import { exportMarked, type SnapshotMark } from "./snapshot.ts";
import type { Reader, Writer } from "./sqlite.ts";

export interface LastingOptions extends Omit<DatabaseOptions, "broken"> {
  now(): number;
  /** Called after memory was restored from disk, without the refused writes. */
  renewed(sql: Reader): void;
}

/** After a disk error, calls retry at most this often. */
const retryMs = 500;
/** Free journal space required before writes are accepted again; enough for nearly all writes. */
const roomBytes = 64 * 1024;

interface ReadOnly {
  is: "read-only";
  found: Recovered & { tail: Tail };
  refusal: Fault;
  triedAt: number;
  trying: Promise<void> | null;
}

type Phase =
  | { is: "open"; database: Database }
  | { is: "renewing"; done: Promise<void> }
  | ReadOnly
  | { is: "unreadable"; lastSequence: number; refusal: Fault; triedAt: number }
  | { is: "closed" };

export async function openLastingDatabase(options: LastingOptions): Promise<LastingDatabase> {
  let lasting: LastingDatabase | null = null;
  const inner: DatabaseOptions = { ...options, broken: (refusal) => lasting?.renew(refusal) };
  lasting = new LastingDatabase(options, inner, await openDatabase(inner));
  return lasting;
}

export class LastingDatabase {
  readonly #options: LastingOptions;
  readonly #inner: DatabaseOptions;
  #phase: Phase;

  constructor(options: LastingOptions, inner: DatabaseOptions, database: Database) {
    this.#options = options;
    this.#inner = inner;
    this.#phase = { is: "open", database };
  }

  /** Like Database.write. During a disk error it throws `internal` at once, with disk and path. */
  async write<T>(work: (sql: Writer) => T): Promise<T> {
    return this.#phase.is === "open"
      ? this.#phase.database.write(work)
      : (await this.#writable()).write(work);
  }

  /** Like Database.read. Also works while the disk cannot be written. */
  async read<T>(work: (sql: Reader) => T): Promise<T> {
    for (;;) {
      const phase = this.#phase.is === "open" ? this.#phase : await this.#readable();
      if (phase.is === "read-only") return work(phase.found.sqlite);
      try {
        return await phase.database.read(work);
      } catch (error) {
        // It may have read data that was refused afterwards: read again from the restored state.
        if (this.#phase === phase || !isRefusal(error)) throw error;
      }
    }
  }

  /** Like `read`, before another process writes to the data directory: throws `internal` if that was deleted, moved or replaced. */
  async readThere<T>(work: (sql: Reader) => T): Promise<T> {
    if (this.#phase.is === "open") this.#phase.database.checkThere();
    return this.read(work);
  }

  async snapshot(): Promise<void> {
    await (await this.#writable()).snapshot();
  }

  /** Like Database.copy. Also works while the disk cannot be written. */
  async copy(mark: SnapshotMark): Promise<Uint8Array> {
    const phase = await this.#readable();
    return phase.is === "open" ? phase.database.copy(mark) : exportMarked(phase.found.sqlite, mark);
  }

  get journalBytes(): number {
    return this.#phase.is === "open" ? this.#phase.database.journalBytes : 0;
  }

  /** Why writes are refused now; null: they are not. */
  get refusal(): string | null {
    const phase = this.#phase;
    return phase.is === "read-only" || phase.is === "unreadable" ? phase.refusal.message : null;
  }

  async close(): Promise<void> {
    while (this.#phase.is === "renewing") await this.#phase.done;
    const phase = this.#phase;
    if (phase.is === "read-only") await phase.trying;
    if (this.#phase !== phase) return this.close();
    this.#phase = { is: "closed" };
    if (phase.is === "open") await phase.database.close();
    else if (phase.is === "read-only") phase.found.sqlite.close();
  }

  /** Called when the open database broke. Memory is ahead of the disk, so everything is read from disk again. */
  renew(refusal: Fault): void {
    if (this.#phase.is !== "open") return;
    const { database } = this.#phase;
    this.#options.warn(`${refusal.message}; reads continue`);
    const readWhenEnded = async () => {
      await database.ended();
      await this.#readAnew(database.durableSequence);
    };
    this.#phase = { is: "renewing", done: readWhenEnded() };
  }

  async #writable(): Promise<Database> {
    for (;;) {
      const phase = this.#phase;
      if (phase.is === "open") return phase.database;
      if (phase.is === "read-only") await this.#tryWriting(phase);
      else await this.#renewed(phase);
    }
  }

  async #readable(): Promise<Extract<Phase, { is: "open" | "read-only" }>> {
    for (;;) {
      const phase = this.#phase;
      if (phase.is === "open" || phase.is === "read-only") return phase;
      await this.#renewed(phase);
    }
  }

  #tryWriting(phase: ReadOnly): Promise<void> {
    if (phase.trying === null) {
      this.#refuseUnlessDue(phase);
      phase.trying = this.#takeWrites(phase.found);
    }
    return phase.trying;
  }

  async #renewed(phase: Exclude<Phase, { is: "open" | "read-only" }>): Promise<void> {
    if (phase.is === "closed") throw new Fault("internal", "the library is closed");
    if (phase.is === "renewing") return phase.done;
    this.#refuseUnlessDue(phase);
    const done = this.#readAnew(phase.lastSequence);
    this.#phase = { is: "renewing", done };
    return done;
  }

  #refuseUnlessDue({ refusal, triedAt }: { refusal: Fault; triedAt: number }): void {
    // Absolute difference, so that a clock that was set back does not block retries for long.
    if (Math.abs(this.#options.now() - triedAt) < retryMs) throw refusal;
  }

  async #readAnew(lastSequence: number): Promise<void> {
    const { disk, dir, renewed, warn } = this.#options;
    try {
      const { tail, ...found } = await recover(disk, dir, lastSequence);
      renewed(found.sqlite);
      if (tail === null) throw new Fault("internal", `${dir} lacks its journal`);
      await this.#takeWrites({ ...found, tail });
    } catch (error) {
      const refusal = diskFault(error, dir);
      warn(`${refusal.message}; nothing can be read`);
      this.#phase = { is: "unreadable", lastSequence, refusal, triedAt: this.#options.now() };
    }
  }

  /** Never rejects: a disk error leads to the phase `read-only`. */
  async #takeWrites(found: ReadOnly["found"]): Promise<void> {
    const { disk, dir, warn } = this.#options;
    try {
      const journal = await Journal.reopen(disk, dir, found.tail, roomBytes);
      this.#phase = { is: "open", database: resumed(this.#inner, found, journal) };
      warn(`${dir} can be written again`);
    } catch (error) {
      const refusal = diskFault(error, join(dir, journalName(found.tail.generation)));
      this.#phase = { is: "read-only", found, refusal, triedAt: this.#options.now(), trying: null };
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Fault && error.detail?.code === diskRefused;
}
