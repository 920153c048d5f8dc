/** The database: transactions in memory, answered when the journal that repeats them is on disk (group commit). */
import { Fault } from "../protocol/faults.ts";
import { crc32c } from "./crc32c.ts";
import type { Disk } from "./disk.ts";
import { Journal, type UnnamedJournal } from "./journal.ts";
import { encodePayload, encodeStatements, type Statement } from "./record.ts";
import { recover } from "./recovery.ts";
import { type Migration, migrate } from "./schema.ts";
import { exportMarked, removeSuperseded, snapshotName, writeWhole } from "./snapshot.ts";
import type { Reader, Sqlite, Writer } from "./sqlite.ts";

export interface DatabaseOptions {
  disk: Disk;
  /** The data directory; it exists and is locked. */
  dir: string;
  migrations: readonly Migration[];
  /** A snapshot is due when the journal is larger than the last one and than this. */
  journalBytesMin: number;
  /** The disk refused: this database answers nothing more, and what is on disk is to be opened anew. */
  broken(error: Fault): void;
  /** Something went wrong that loses nothing. */
  warn(message: string): void;
}

/** Transactions that one fdatasync will cover. */
interface Batch {
  transactions: string[];
  durable: Promise<void>;
  resolve(): void;
  reject(fault: Fault): void;
}

function newBatch(): Batch {
  const { promise, resolve, reject } = withResolvers();
  promise.catch(() => {}); // A batch that nobody waits for must not end the thread when it fails.
  return { transactions: [], durable: promise, resolve, reject };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (fault: Fault) => void } {
  let resolve = () => {};
  let reject: (fault: Fault) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Opens what is in `dir`, migrated and durable. Throws `internal` (damage, a file of a later version). */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { disk, dir } = options;
  const { sqlite, tail, snapshot } = await recover(disk, dir);
  try {
    const journal = tail === null ? null : await Journal.reopen(disk, dir, tail);
    const migrated = await migrate(sqlite, options.migrations, async (version) => {
      if (tail !== null) await writeWhole(disk, dir, `before-schema-${version}.sqlite`, sqlite.export());
    });
    const at = journal ?? { generation: 0, sequence: 0, close() {} };
    if (journal !== null && !migrated) {
      removeSuperseded(disk, dir, snapshot.generation, disk.list(dir));
      return new Database(options, sqlite, journal, snapshot);
    }
    const mark = { generation: at.generation + 1, sequence: at.sequence };
    const bytes = exportMarked(sqlite, mark);
    const next = await (await beginJournal(options, mark, bytes)).takeName();
    await writeWhole(disk, dir, snapshotName, bytes);
    at.close();
    removeSuperseded(disk, dir, mark.generation, disk.list(dir));
    return new Database(options, sqlite, next, { generation: mark.generation, bytes: bytes.length });
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function beginJournal(
  { disk, dir }: DatabaseOptions,
  mark: { generation: number; sequence: number },
  snapshot: Uint8Array,
): Promise<UnnamedJournal> {
  return Journal.create(disk, dir, {
    generation: mark.generation,
    firstSequence: mark.sequence + 1,
    snapshotBytes: snapshot.length,
    snapshotCrc: crc32c(snapshot),
  });
}

export class Database {
  readonly #options: DatabaseOptions;
  readonly #sqlite: Sqlite;
  #journal: Journal;
  #snapshot: { generation: number; bytes: number };
  /** Transactions that no sync has been started for. */
  #gathering = newBatch();
  /** The batch that is being synced. */
  #syncing: Batch | null = null;
  /** Ends when nothing waits; null when nothing does. */
  #draining: Promise<void> | null = null;
  #snapshotAsked = false;
  /** The snapshot that is being written. */
  #writing: Promise<void> | null = null;
  #refusal: Fault | null = null;

  constructor(
    options: DatabaseOptions,
    sqlite: Sqlite,
    journal: Journal,
    snapshot: { generation: number; bytes: number },
  ) {
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
      if (executed.length > 0) this.#gathering.transactions.push(encodeStatements(executed));
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
      await this.#drain();
      if (this.#refusal !== null) throw this.#refusal;
    }
    await this.#writing;
  }

  /** Bytes of journal that the next start would replay, at least. */
  get journalBytes(): number {
    return this.#journal.recordsBytes;
  }

  /** Waits for what is under way, takes a last snapshot when there is something new, and lets go of the files. */
  async close(): Promise<void> {
    if (this.#refusal === null) {
      await this.#drain();
      await this.#writing;
      if (this.#refusal === null && this.#snapshotIsBehind()) await this.snapshot();
    }
    await this.#writing;
    if (this.#refusal !== null) return;
    this.#refusal = new Fault("internal", "the library is closed");
    this.#journal.close();
    this.#sqlite.close();
  }

  #snapshotIsBehind(): boolean {
    return this.#journal.recordsBytes > 0 || this.#snapshot.generation !== this.#journal.generation;
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
    if (this.#gathering.transactions.length === 0) return this.#syncing?.durable;
    void this.#drain();
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
        if (batch.transactions.length > 0) this.#journal.append(encodePayload(batch.transactions));
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
    return this.#gathering.transactions.length > 0 || (this.#snapshotAsked && this.#writing === null);
  }

  #takeSnapshot(): { mark: { generation: number; sequence: number }; bytes: Uint8Array } | null {
    const outgrown =
      this.#journal.recordsBytes > Math.max(this.#snapshot.bytes, this.#options.journalBytesMin);
    if (this.#writing !== null || !(outgrown || this.#snapshotAsked)) return null;
    this.#snapshotAsked = false;
    const mark = { generation: this.#journal.generation + 1, sequence: this.#journal.sequence };
    return { mark, bytes: exportMarked(this.#sqlite, mark) };
  }

  /**
   * From here on transactions go to a new journal, while the snapshot is written beside them. Until it has taken its name,
   * the last snapshot and all journals since are what a start reads; so a snapshot that cannot be written loses nothing.
   */
  async #changeJournal(taken: {
    mark: { generation: number; sequence: number };
    bytes: Uint8Array;
  }): Promise<void> {
    const { disk, dir, warn } = this.#options;
    const { mark, bytes } = taken;
    let next: UnnamedJournal;
    try {
      next = await beginJournal(this.#options, mark, bytes);
    } catch (error) {
      warn(`no new journal: ${String(error)}`);
      this.#snapshot.bytes = this.#journal.recordsBytes * 2; // Tried again when the journal has doubled, not at every commit.
      return;
    }
    // Once it has its name the old journal must not grow: a failure in between ends this database.
    const before = this.#journal;
    this.#journal = await next.takeName();
    before.close();
    this.#writing = writeWhole(disk, dir, snapshotName, bytes)
      .then(() => {
        removeSuperseded(disk, dir, mark.generation, disk.list(dir));
        this.#snapshot = { generation: mark.generation, bytes: bytes.length };
      })
      .catch((error: unknown) => warn(`no snapshot: ${String(error)}`))
      .finally(() => {
        this.#writing = null;
      });
  }

  #break(error: unknown, batch: Batch): void {
    const fault = new Fault(
      "internal",
      `the disk refused: ${error instanceof Error ? error.message : String(error)}`,
      {
        code: "storage-broken",
      },
    );
    this.#refusal = fault;
    this.#syncing = null;
    batch.reject(fault);
    this.#gathering.reject(fault);
    this.#journal.close();
    this.#sqlite.close();
    this.#options.broken(fault);
  }
}
