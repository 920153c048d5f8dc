/** Writes a journal file: appends records into preallocated space, and syncs on request. */
import { join } from "node:path";
import type { Disk, DiskFile } from "./disk.ts";
import { encodeHeader, encodeRecord, headerBytes, type JournalHeader } from "./journal-records.ts";

export function journalName(generation: number): string {
  return `library.journal-${generation}`;
}

/** Null if the name is not a journal's. */
export function journalGeneration(name: string): number | null {
  const digits = /^library\.journal-([1-9][0-9]{0,14})$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

function wholeSteps(bytes: number, { journalStepBytes }: Disk): number {
  return Math.ceil(bytes / journalStepBytes) * journalStepBytes;
}

/** A journal on disk under a temporary name; a start ignores it. */
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

  /** Creates an empty journal, synced before it gets its name. */
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
   * Continues a journal after recovery. Rewrites `lastRecord` and zeroes everything after it. Grows the file only if fewer than
   * `roomBytes` are free, so that a start works on a full disk.
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
      // The last record may be only in the page cache: its writer died before the sync, or the sync failed and the kernel marked the page
      // clean. Rewriting makes the page dirty, so that this sync writes it.
      file.write(at.lastRecord, at.endOffset - at.lastRecord.length);
      file.write(new Uint8Array(sizeBytes - at.endOffset), at.endOffset);
      await file.datasync();
      await disk.syncDir(dir); // Its name may not be durable either, if its writer died before that sync.
    } catch (error) {
      file.close();
      throw error;
    }
    return new Journal(disk, file, { ...at, sizeBytes });
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Of the last synced record. */
  get durableSequence(): number {
    return this.#durableSequence;
  }

  get recordsBytes(): number {
    return this.#endOffset - headerBytes;
  }

  /** Durable after the next `datasync`. */
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

  /** Throws ENOENT when its directory was deleted, moved or replaced. */
  checkThere(): void {
    this.#file.checkThere();
  }

  close(): void {
    try {
      this.#file.close();
    } catch {
      // Everything answered has been synced, so this error concerns nothing that a caller waits for.
    }
  }
}
