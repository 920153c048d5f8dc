/** The database: transactions run in memory, and are answered when the journal is on disk (group commit). */
import { join } from "node:path";
import { diskFault } from "../protocol/disk-fault.ts";
import { Fault } from "../protocol/faults.ts";
import { type Batch, newBatch } from "./batch.ts";
import type { Disk } from "./disk.ts";
import { Journal, journalName, type UnnamedJournal } from "./journal.ts";
import { encodePayload, encodeSeal, encodeStatements, type Statement } from "./journal-records.ts";
import type { Migration } from "./schema.ts";
import { removeSuperseded, type SnapshotMark, snapshotName, takeName, writeUnnamed } from "./snapshot.ts";
import { type Copying, startCopying } from "./snapshot-copy.ts";
import type { Reader, Sqlite, Writer } from "./sqlite.ts";

export interface DatabaseOptions {
  disk: Disk;
  /** The data directory; must exist and be locked. */
  dir: string;
  migrations: readonly Migration[];
  /** A snapshot is due when the journal is larger than this and than the last snapshot. */
  journalBytesMin: number;
  slicePages?: number;
  /** Called on a disk error; this database is then unusable. */
  broken(error: Fault): void;
  warn(message: string): void;
}

export interface SnapshotState {
  bytes: number;
  isBehind: boolean;
}

type Taken = { mark: SnapshotMark; bytes: Uint8Array };

export class Database {
  readonly #options: DatabaseOptions;
  readonly #sqlite: Sqlite;
  #journal: Journal;
  #snapshot: SnapshotState;
  /** Transactions whose sync has not started. */
  #gathering = newBatch();
  #syncing: Batch | null = null;
  /** Settles when nothing waits; null if nothing does. */
  #draining: Promise<void> | null = null;
  #snapshotAsked = false;
  #copying: Copying | null = null;
  #writing: Promise<void> | null = null;
  #refusal: Fault | null = null;

  constructor(options: DatabaseOptions, sqlite: Sqlite, journal: Journal, snapshot: SnapshotState) {
    this.#options = options;
    this.#sqlite = sqlite;
    this.#journal = journal;
    this.#snapshot = snapshot;
  }

  /**
   * Runs `work` synchronously as one transaction and returns when it is on disk. An exception from `work` rolls back. Throws `internal`
   * on a disk error.
   */
  async write<T>(work: (sql: Writer) => T): Promise<T> {
    const executed: Statement[] = [];
    return this.#answer(() => {
      const value = this.#sqlite.transaction(executed, work);
      if (executed.length > 0) {
        this.#gathering.entries.push(encodeStatements(executed));
        this.#snapshot.isBehind = true;
      }
      return value;
    });
  }

  /** Returns when everything that `work` could read is on disk. */
  async read<T>(work: (sql: Reader) => T): Promise<T> {
    return this.#answer(() => work(this.#sqlite));
  }

  /** Throws `internal` if the data directory was deleted, moved or replaced. The next write finds the same, and ends this database. */
  checkThere(): void {
    try {
      this.#journal.checkThere();
    } catch (error) {
      throw diskFault(error, this.#options.dir);
    }
  }

  /** Takes a snapshot now. Returns when it has replaced the last one. */
  async snapshot(): Promise<void> {
    if (this.#refusal !== null) throw this.#refusal;
    this.#snapshotAsked = true;
    while (this.#snapshotAsked) {
      await this.#writing; // A snapshot that has already begun lacks later writes.
      await this.#copying?.ready;
      await this.#drain();
      if (this.#refusal !== null) throw this.#refusal;
    }
    await this.#writing;
  }

  /** The bytes of a snapshot with this mark, for a backup. The database's own snapshots are not affected. */
  async copy(mark: SnapshotMark): Promise<Uint8Array> {
    if (this.#refusal !== null) throw this.#refusal;
    const copying = startCopying(this.#sqlite, this.#options.slicePages, () => {});
    await copying.ready;
    return this.#answer(() => copying.finish(mark));
  }

  /** The minimum number of journal bytes that the next start replays. */
  get journalBytes(): number {
    return this.#journal.recordsBytes;
  }

  get durableSequence(): number {
    return this.#journal.durableSequence;
  }

  /** Settles when a broken database no longer touches the disk. */
  async ended(): Promise<void> {
    await this.#writing;
  }

  /** Finishes pending work, takes a last snapshot if there are changes, and closes the files. */
  async close(): Promise<void> {
    if (this.#refusal === null) {
      await this.#drain();
      await this.#writing;
      if (this.#refusal === null && this.#snapshot.isBehind) await this.snapshot();
    }
    await this.#writing;
    if (this.#refusal !== null) return;
    this.#refusal = new Fault("internal", "the library is closed");
    this.#abandonCopy();
    this.#journal.close();
    this.#sqlite.close();
  }

  /** Errors wait for durability too, because they may depend on data that is not yet on disk. */
  async #answer<T>(work: () => T): Promise<T> {
    if (this.#refusal !== null) throw this.#refusal;
    try {
      return work();
    } finally {
      await this.#durable();
    }
  }

  #durable(): Promise<void> | undefined {
    if (this.#gathering.entries.length === 0) return this.#syncing?.durable;
    this.#drain().catch(() => {}); // The batch reports the error.
    return this.#gathering.durable;
  }

  /** One sync at a time: transactions that arrive during a sync join the next one. */
  #drain(): Promise<void> {
    this.#draining ??= this.#sync();
    return this.#draining;
  }

  async #sync(): Promise<void> {
    // Messages that have already arrived are handled first, and join this sync.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#mustSync()) {
      const batch = this.#gathering;
      this.#gathering = newBatch();
      this.#syncing = batch;
      try {
        if (batch.entries.length > 0) this.#journal.append(encodePayload(batch.entries));
        // No await between append and copy, so that the snapshot contains exactly the journal's transactions.
        const taken = this.#takeSnapshot();
        await this.#journal.datasync();
        this.#syncing = null;
        batch.resolve();
        if (taken !== null) await this.#changeJournal(taken);
      } catch (error) {
        this.#break(error, batch);
      }
    }
    this.#draining = null; // No await after the last check, so that a later caller starts a new sync.
  }

  #mustSync(): boolean {
    if (this.#refusal !== null) return false;
    if (this.#gathering.entries.length > 0) return true;
    return this.#writing === null && (this.#copying?.isReady() ?? this.#snapshotAsked);
  }

  /** Starts a copy when a snapshot is due. Returns the snapshot if its copy is ready. */
  #takeSnapshot(): Taken | null {
    const outgrown =
      this.#journal.recordsBytes > Math.max(this.#snapshot.bytes, this.#options.journalBytesMin);
    if (this.#writing !== null || !(outgrown || this.#snapshotAsked || this.#copying !== null)) return null;
    try {
      this.#copying ??= startCopying(this.#sqlite, this.#options.slicePages, () => void this.#drain());
      if (!this.#copying.isReady()) return null;
      const mark = { generation: this.#journal.generation + 1, sequence: this.#journal.sequence };
      const bytes = this.#copying.finish(mark);
      this.#copying = null;
      this.#snapshotAsked = false;
      return { mark, bytes };
    } catch (error) {
      this.#withoutSnapshot(error);
      return null;
    }
  }

  #abandonCopy(): void {
    this.#copying?.abandon();
    this.#copying = null;
  }

  /** Retry when the journal has doubled, not at every commit. */
  #withoutSnapshot(error: unknown): void {
    this.#options.warn(`a snapshot failed: ${String(error)}`);
    this.#abandonCopy();
    this.#snapshotAsked = false;
    this.#snapshot.bytes = this.#journal.recordsBytes * 2;
  }

  /**
   * Switches to a new journal while the snapshot is written. Until the snapshot has its name, a start reads the last snapshot and all
   * journals since, so a failed snapshot loses nothing.
   */
  async #changeJournal({ mark, bytes }: Taken): Promise<void> {
    const { disk, dir } = this.#options;
    const { generation, sequence } = mark;
    let next: UnnamedJournal;
    try {
      const header = { generation, firstSequence: sequence + 1, snapshotBytes: 0, snapshotCrc: 0 };
      next = await Journal.create(disk, dir, header);
    } catch (error) {
      this.#withoutSnapshot(error);
      return;
    }
    // Once the new journal has its name, the old one must not grow: a failure in between ends this database.
    const before = this.#journal;
    this.#journal = await next.takeName();
    before.close();
    const wasBehind = this.#snapshot.isBehind;
    this.#snapshot.isBehind = this.#gathering.entries.length > 0;
    this.#writing = this.#writeSnapshot(mark, bytes)
      .catch((error: unknown) => {
        this.#snapshot.isBehind ||= wasBehind;
        this.#options.warn(`a snapshot failed: ${String(error)}`);
      })
      .finally(() => {
        this.#writing = null;
      });
  }

  /** Write the seal before renaming the snapshot, because a start needs it to verify the snapshot. */
  async #writeSnapshot({ generation }: SnapshotMark, bytes: Uint8Array): Promise<void> {
    const { disk, dir } = this.#options;
    const crc32 = await writeUnnamed(disk, dir, snapshotName, bytes);
    if (this.#refusal !== null) throw this.#refusal;
    this.#gathering.entries.push(encodeSeal({ generation, bytes: bytes.length, crc32 }));
    await this.#durable();
    await takeName(disk, dir, snapshotName);
    removeSuperseded(disk, dir, generation, disk.list(dir));
    this.#snapshot.bytes = bytes.length;
  }

  #break(error: unknown, batch: Batch): void {
    const { dir, broken } = this.#options;
    const fault = diskFault(error, join(dir, journalName(this.#journal.generation)));
    this.#refusal = fault;
    this.#syncing = null;
    batch.reject(fault);
    this.#gathering.reject(fault);
    this.#abandonCopy();
    this.#journal.close();
    this.#sqlite.close();
    broken(fault);
  }
}
