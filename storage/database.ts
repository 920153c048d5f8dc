/** The database: transactions in memory, answered when the journal that repeats them is on disk (group commit). */
import { join } from "node:path";
import { Fault } from "../protocol/faults.ts";
import { type Batch, newBatch } from "./batch.ts";
import { type Copying, startCopying } from "./copying.ts";
import type { Disk } from "./disk.ts";
import { diskFault } from "./disk-fault.ts";
import { Journal, journalName, type UnnamedJournal } from "./journal.ts";
import { encodePayload, encodeSeal, encodeStatements, type Statement } from "./record.ts";
import type { Migration } from "./schema.ts";
import { removeSuperseded, type SnapshotMark, snapshotName, takeName, writeUnnamed } from "./snapshot.ts";
import type { Reader, Sqlite, Writer } from "./sqlite.ts";

export interface DatabaseOptions {
  disk: Disk;
  /** The data directory; it exists and is locked. */
  dir: string;
  migrations: readonly Migration[];
  /** A snapshot is due when the journal is larger than the last one and than this. */
  journalBytesMin: number;
  /** Pages that a snapshot copies in one go, between other work. */
  slicePages?: number;
  /** The disk refused: this database answers nothing more. */
  broken(error: Fault): void;
  /** Something went wrong that loses nothing. */
  warn(message: string): void;
}

/** What the journal and the last snapshot on disk are to each other. */
export interface SnapshotState {
  bytes: number;
  /** The journals hold transactions that the snapshot does not. */
  isBehind: boolean;
}

type Taken = { mark: SnapshotMark; bytes: Uint8Array };

export class Database {
  readonly #options: DatabaseOptions;
  readonly #sqlite: Sqlite;
  #journal: Journal;
  #snapshot: SnapshotState;
  /** Transactions that no sync has been started for. */
  #gathering = newBatch();
  /** The batch that is being synced. */
  #syncing: Batch | null = null;
  /** Ends when nothing waits; null when nothing does. */
  #draining: Promise<void> | null = null;
  #snapshotAsked = false;
  /** What becomes the next snapshot when it is ready. */
  #copying: Copying | null = null;
  /** The snapshot that is being written. */
  #writing: Promise<void> | null = null;
  #refusal: Fault | null = null;

  constructor(options: DatabaseOptions, sqlite: Sqlite, journal: Journal, snapshot: SnapshotState) {
    this.#options = options;
    this.#sqlite = sqlite;
    this.#journal = journal;
    this.#snapshot = snapshot;
  }

  /**
   * One transaction: `work` runs at once and in one piece; the answer comes when it is on disk. What `work` throws undoes it.
   * Throws `internal` when the disk refuses.
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

  /** Answers when everything that `work` could see is on disk. */
  async read<T>(work: (sql: Reader) => T): Promise<T> {
    return this.#answer(() => work(this.#sqlite));
  }

  /** Takes a snapshot now, and answers when it has replaced the last one. */
  async snapshot(): Promise<void> {
    if (this.#refusal !== null) throw this.#refusal;
    this.#snapshotAsked = true;
    while (this.#snapshotAsked) {
      await this.#writing; // One that was begun earlier does not hold what has been written since.
      await this.#copying?.ready;
      await this.#drain();
      if (this.#refusal !== null) throw this.#refusal;
    }
    await this.#writing;
  }

  /** The bytes of a snapshot of this mark, of what is on disk by then; this database goes on with its own. */
  async copy(mark: SnapshotMark): Promise<Uint8Array> {
    if (this.#refusal !== null) throw this.#refusal;
    const copying = startCopying(this.#sqlite, this.#options.slicePages, () => {});
    await copying.ready;
    return this.#answer(() => copying.finish(mark));
  }

  /** Bytes of journal that the next start would replay, at least. */
  get journalBytes(): number {
    return this.#journal.recordsBytes;
  }

  /** Sequence of the last record that was answered. */
  get durableSequence(): number {
    return this.#journal.durableSequence;
  }

  /** Ends when a database that is broken touches the disk no more. */
  async ended(): Promise<void> {
    await this.#writing;
  }

  /** Waits for what is under way, takes a last snapshot when there is something new, and lets go of the files. */
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

  /** A refusal may rest on what is not durable yet, as an answer may: both wait. */
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
    this.#drain().catch(() => {}); // What broke is told by the batch.
    return this.#gathering.durable;
  }

  /** Runs one at a time; a transaction that comes while a sync is under way is in the next one. */
  #drain(): Promise<void> {
    this.#draining ??= this.#sync();
    return this.#draining;
  }

  async #sync(): Promise<void> {
    // Messages that have arrived already are handled before the next immediate: they join the first sync.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#mustSync()) {
      const batch = this.#gathering;
      this.#gathering = newBatch();
      this.#syncing = batch;
      try {
        if (batch.entries.length > 0) this.#journal.append(encodePayload(batch.entries));
        // Exported in the same breath as the append: the snapshot holds what the journal does, not a transaction more.
        const taken = this.#takeSnapshot();
        await this.#journal.datasync();
        this.#syncing = null;
        batch.resolve();
        if (taken !== null) await this.#changeJournal(taken);
      } catch (error) {
        this.#break(error, batch);
      }
    }
    this.#draining = null; // In the same breath as the last look: who comes later starts anew.
  }

  #mustSync(): boolean {
    if (this.#refusal !== null) return false;
    if (this.#gathering.entries.length > 0) return true;
    return this.#writing === null && (this.#copying?.isReady() ?? this.#snapshotAsked);
  }

  /** Begins a copy when a snapshot is due; answers the snapshot when its copy is ready, which a small one is at once. */
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

  /** Tried again when the journal has doubled, not at every commit. */
  #withoutSnapshot(error: unknown): void {
    this.#options.warn(`no snapshot: ${String(error)}`);
    this.#abandonCopy();
    this.#snapshotAsked = false;
    this.#snapshot.bytes = this.#journal.recordsBytes * 2;
  }

  /**
   * From here on transactions go to a new journal, while the snapshot is written beside them. Until it has taken its name,
   * the last snapshot and all journals since are what a start reads; so a snapshot that cannot be written loses nothing.
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
    // Once it has its name the old journal must not grow: a failure in between ends this database.
    const before = this.#journal;
    this.#journal = await next.takeName();
    before.close();
    const wasBehind = this.#snapshot.isBehind;
    this.#snapshot.isBehind = this.#gathering.entries.length > 0;
    this.#writing = this.#writeSnapshot(mark, bytes)
      .catch((error: unknown) => {
        this.#snapshot.isBehind ||= wasBehind;
        this.#options.warn(`no snapshot: ${String(error)}`);
      })
      .finally(() => {
        this.#writing = null;
      });
  }

  /** The seal is on disk before the snapshot takes its name: without it a start could not tell whether it is whole. */
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
