/** Reads the database from disk: the snapshot, then the journals in order. Never changes the files: `Journal.reopen` zeroes a torn tail. */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { Fault } from "../protocol/faults.ts";
import { crc32c } from "./crc32c.ts";
import type { Disk } from "./disk.ts";
import { journalGeneration, journalName } from "./journal.ts";
import { damage, decodePayload, findSeal, type JournalScan, scanJournal } from "./journal-records.ts";
import { markOf, type SnapshotMark, snapshotName } from "./snapshot.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";

export interface Tail {
  generation: number;
  sequence: number;
  endOffset: number;
  sizeBytes: number;
  lastRecord: Uint8Array;
  transactions: number;
}

export interface Recovered {
  sqlite: Sqlite;
  tail: Tail | null;
  snapshot: SnapshotMark & { bytes: number };
}

/**
 * Throws `internal` with `{code: "storage-damaged", file, offset}` for damage. A torn last record is no damage, because it was never
 * answered. Records after `lastSequence` were refused: the tail excludes them, even if they are valid.
 */
export async function recover(
  disk: Disk,
  dir: string,
  lastSequence = Number.POSITIVE_INFINITY,
): Promise<Recovered> {
  const names = disk.list(dir);
  const generations = names
    .map(journalGeneration)
    .filter((generation) => generation !== null)
    .sort((a, b) => a - b);
  const bytes = names.includes(snapshotName) ? disk.read(join(dir, snapshotName)) : null;
  if (bytes === null) {
    refuseOrphans(disk, dir, generations);
    return { sqlite: await openSqlite(null), tail: null, snapshot: { generation: 0, sequence: 0, bytes: 0 } };
  }
  const { sqlite, mark } = await readSnapshot(join(dir, snapshotName), bytes);
  try {
    const scans = readJournals(disk, dir, mark, generations, bytes).map((scan) => upTo(lastSequence, scan));
    let transactions = 0;
    for (const scan of scans) transactions += replay(sqlite, scan.file, scan);
    return { sqlite, tail: tailOf(scans, transactions), snapshot: { ...mark, bytes: bytes.length } };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Without a snapshot, only an interrupted first start can leave a journal, and that one is empty. */
function refuseOrphans(disk: Disk, dir: string, generations: number[]): void {
  for (const generation of generations) {
    const file = join(dir, journalName(generation));
    const scan = scanJournal(file, disk.read(file) ?? new Uint8Array());
    if (generation === 1 && scan.records.length === 0) continue;
    throw damage(
      join(dir, snapshotName),
      0,
      `the file is missing, and ${journalName(generation)} cannot be read without it`,
    );
  }
}

async function readSnapshot(
  file: string,
  bytes: Uint8Array,
): Promise<{ sqlite: Sqlite; mark: SnapshotMark }> {
  let sqlite: Sqlite | null = null;
  if (bytes.length === 0) throw damage(file, 0, "the file is empty");
  try {
    sqlite = await openSqlite(bytes);
    const mark = markOf(sqlite);
    if (mark !== null) return { sqlite, mark };
  } catch (error) {
    sqlite?.close();
    if (error instanceof Fault) throw error;
    throw damage(file, 0, error instanceof Error ? error.message : String(error));
  }
  sqlite.close();
  throw damage(file, 0, "it does not say which journal comes after it");
}

interface ReadScan extends JournalScan {
  file: string;
  sizeBytes: number;
  bytes: Uint8Array;
}

function readJournals(
  disk: Disk,
  dir: string,
  mark: SnapshotMark,
  generations: number[],
  snapshot: Uint8Array,
): ReadScan[] {
  const wanted = generations.filter((generation) => generation >= mark.generation);
  const scans: ReadScan[] = [];
  let sequence = mark.sequence;
  for (const [index, generation] of wanted.entries()) {
    const file = join(dir, journalName(mark.generation + index));
    if (generation !== mark.generation + index)
      throw damage(file, 0, "the file is missing, and a later journal is there");
    const bytes = disk.read(file) ?? new Uint8Array();
    const scan = scanJournal(file, bytes);
    if (scan.header.generation !== generation)
      throw damage(file, 16, `it is journal ${scan.header.generation}`);
    if (scan.header.firstSequence !== sequence + 1) {
      const last = scans.at(-1);
      const before = last?.file ?? snapshotName;
      // The previous journal was synced before this one began, so its torn last record is damage.
      if (last?.torn) throw damage(last.file, last.endOffset, `record ${sequence + 1} is unreadable`);
      throw damage(
        file,
        24,
        `it begins with record ${scan.header.firstSequence}, ${before} ends with ${sequence}`,
      );
    }
    sequence += scan.records.length;
    scans.push({ ...scan, file, sizeBytes: bytes.length, bytes });
  }
  const first = scans[0];
  if (first === undefined) throw damage(join(dir, journalName(mark.generation)), 0, "the file is missing");
  if (!isWhole(snapshot, first)) {
    throw damage(
      join(dir, snapshotName),
      0,
      `its checksum does not match the one in ${journalName(mark.generation)}`,
    );
  }
  return scans;
}

function upTo(lastSequence: number, scan: ReadScan): ReadScan {
  const refused = scan.records.find(({ sequence }) => sequence > lastSequence);
  if (refused === undefined) return scan;
  const records = scan.records.filter(({ sequence }) => sequence <= lastSequence);
  return { ...scan, records, endOffset: refused.offset };
}

/** True if the snapshot matches the checksum in its journal's header or seal. */
function isWhole(snapshot: Uint8Array, { header, records }: JournalScan): boolean {
  const { generation, snapshotBytes, snapshotCrc } = header;
  if (snapshotBytes > 0) return snapshot.length === snapshotBytes && crc32c(snapshot) === snapshotCrc;
  const seal = findSeal(records, generation);
  return seal !== null && snapshot.length === seal.bytes && crc32(snapshot) === seal.crc32;
}

function replay(sqlite: Sqlite, file: string, scan: JournalScan): number {
  let at = scan.records[0];
  let transactions = 0;
  try {
    // Use one transaction for all, because BEGIN and COMMIT would cost more than most statements.
    sqlite.transaction([], (sql) => {
      for (const record of scan.records) {
        at = record;
        for (const statements of decodePayload(record.payload)) {
          for (const [text, values] of statements) sql.run(text, values);
          transactions += 1;
        }
      }
    });
    return transactions;
  } catch (error) {
    throw damage(file, at?.offset ?? 0, `record ${at?.sequence} cannot be executed: ${String(error)}`);
  }
}

function tailOf(scans: ReadScan[], transactions: number): Tail | null {
  const last = scans.at(-1);
  if (last === undefined) return null;
  const { header, records, endOffset, sizeBytes } = last;
  return {
    generation: header.generation,
    sequence: header.firstSequence + records.length - 1,
    endOffset,
    sizeBytes,
    lastRecord: last.bytes.subarray(records.at(-1)?.offset ?? endOffset, endOffset),
    transactions,
  };
}
