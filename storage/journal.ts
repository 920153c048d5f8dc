/** A journal file that is being written: records appended into space that is there already, synced on request. */
import { join } from "node:path";
import type { Disk, DiskFile } from "./disk.ts";
import { encodeHeader, encodeRecord, headerBytes, type JournalHeader } from "./record.ts";

/** The name of a journal in the data directory. */
export function journalName(generation: number): string {
  return `library.journal-${generation}`;
}

/** The generation that a file name stands for; null when it is no journal's. */
export function journalGeneration(name: string): number | null {
  const digits = /^library\.journal-([1-9][0-9]{0,14})$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

function wholeSteps(bytes: number, { journalStepBytes }: Disk): number {
  return Math.ceil(bytes / journalStepBytes) * journalStepBytes;
}

/** A journal that is on disk under a temporary name: it counts for nothing until it has its own. */
export interface UnnamedJournal {
  takeName(): Promise<Journal>;
}

export class Journal {
  readonly generation: number;
  readonly #disk: Disk;
  readonly #file: DiskFile;
  #endOffset: number;
  #sizeBytes: number;
  #sequence: number;
  #durableSequence: number;

  private constructor(
    disk: Disk,
    file: DiskFile,
    at: { generation: number; sequence: number; endOffset: number; sizeBytes: number },
  ) {
    this.#disk = disk;
    this.#file = file;
    this.generation = at.generation;
    this.#sequence = at.sequence;
    this.#durableSequence = at.sequence;
    this.#endOffset = at.endOffset;
    this.#sizeBytes = at.sizeBytes;
  }

  /** A new empty journal, whole and synced before it takes its name. */
  static async create(disk: Disk, dir: string, header: JournalHeader): Promise<UnnamedJournal> {
    const path = join(dir, journalName(header.generation));
    const sizeBytes = disk.journalStepBytes;
    const file = disk.create(`${path}.new`);
    try {
      const bytes = new Uint8Array(sizeBytes);
      bytes.set(encodeHeader(header));
      file.write(bytes, 0);
      await file.datasync();
    } catch (error) {
      file.close();
      disk.remove(`${path}.new`);
      throw error;
    }
    return {
      async takeName() {
        try {
          disk.rename(`${path}.new`, path);
          await disk.syncDir(dir);
        } catch (error) {
          file.close();
          throw error;
        }
        const { generation, firstSequence } = header;
        const at = { generation, sequence: firstSequence - 1, endOffset: headerBytes, sizeBytes };
        return new Journal(disk, file, at);
      },
    };
  }

  /**
   * Goes on with a journal that recovery has read: `lastRecord` is written again, what is torn after it becomes zeros. The file is
   * made longer only where fewer than `roomBytes` are left in it, so that a start needs no room on a full disk.
   */
  static async reopen(
    disk: Disk,
    dir: string,
    at: {
      generation: number;
      sequence: number;
      endOffset: number;
      sizeBytes: number;
      lastRecord: Uint8Array;
    },
    roomBytes = 0,
  ): Promise<Journal> {
    const file = disk.open(join(dir, journalName(at.generation)));
    const end = at.endOffset + roomBytes;
    const sizeBytes = end <= at.sizeBytes ? at.sizeBytes : wholeSteps(end, disk);
    try {
      // The last record may stand in the page cache only: the process that wrote it died before its sync, or its sync failed
      // and the kernel calls the page clean. Writing it again makes it dirty, so that this sync means something.
      file.write(at.lastRecord, at.endOffset - at.lastRecord.length);
      file.write(new Uint8Array(sizeBytes - at.endOffset), at.endOffset);
      await file.datasync();
      await disk.syncDir(dir); // Nor need its name be safe: what gave it one may have ended before its sync.
    } catch (error) {
      file.close();
      throw error;
    }
    return new Journal(disk, file, { ...at, sizeBytes });
  }

  /** Sequence of the last record. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Sequence of the last record that a sync has answered for. */
  get durableSequence(): number {
    return this.#durableSequence;
  }

  /** Bytes of its records. */
  get recordsBytes(): number {
    return this.#endOffset - headerBytes;
  }

  /** Writes the next record; durable after the next `datasync`. */
  append(payload: Uint8Array): void {
    const record = encodeRecord(this.#sequence + 1, payload);
    const end = this.#endOffset + record.length;
    if (end > this.#sizeBytes) {
      const sizeBytes = wholeSteps(end, this.#disk);
      this.#file.write(new Uint8Array(sizeBytes - this.#sizeBytes), this.#sizeBytes);
      this.#sizeBytes = sizeBytes;
    }
    this.#file.write(record, this.#endOffset);
    this.#endOffset = end;
    this.#sequence++;
  }

  async datasync(): Promise<void> {
    const sequence = this.#sequence;
    await this.#file.datasync();
    this.#durableSequence = sequence;
  }

  close(): void {
    try {
      this.#file.close();
    } catch {
      // What is answered has been synced; all that a close can tell of is what nobody waits for.
    }
  }
}
