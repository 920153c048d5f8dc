/** The bytes of a journal: header and records, and how to distinguish a torn tail from damage. Pure. */
import { Fault } from "../protocol/faults.ts";
import { crc32c } from "./crc32c.ts";

export type SqlValue = number | string | Uint8Array | null;

export type Statement = [sql: string, values: SqlValue[]];

/**
 * One record is one group commit (one fdatasync). The next record is written only after that sync, so a power cut can tear only the last
 * record; a valid record after an invalid one proves damage.
 */
export interface JournalRecord {
  sequence: number;
  offset: number;
  payload: Uint8Array;
}

export interface JournalHeader {
  generation: number;
  firstSequence: number;
  /** Both 0 if the snapshot was not complete when the journal began: then a seal in its records has the values. */
  snapshotBytes: number;
  snapshotCrc: number;
}

/** The checksum of a snapshot, stored in the journal of its generation before the snapshot gets its name. */
export interface Seal {
  generation: number;
  bytes: number;
  /** CRC-32 from zlib, because it is much faster than CRC-32C in JavaScript. */
  crc32: number;
}

export interface JournalScan {
  header: JournalHeader;
  records: JournalRecord[];
  endOffset: number;
  torn: boolean;
}

const magic = Uint8Array.from("TROUPE\0J", (char) => char.charCodeAt(0));
const formatVersion = 1;
export const headerBytes = 64;
const recordHeadBytes = 16;

/** For data that no crash can leave behind: the start stops and changes nothing. */
export function damage(file: string, offset: number, what: string): Fault {
  return new Fault(
    "internal",
    `${file} is damaged at offset ${offset}: ${what}; restore a backup with troupe restore`,
    {
      code: "storage-damaged",
      file,
      offset,
    },
  );
}

export function laterRelease(what: string): Fault {
  return new Fault("internal", `${what}: a later release wrote it; run that release`, {
    code: "storage-newer",
  });
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Layout, little-endian: magic 8, format 4, snapshot CRC 4, generation 8, first sequence 8, snapshot bytes 8, zeros, CRC 4. */
export function encodeHeader(header: JournalHeader): Uint8Array {
  const bytes = new Uint8Array(headerBytes);
  const view = viewOf(bytes);
  bytes.set(magic);
  view.setUint32(8, formatVersion, true);
  view.setUint32(12, header.snapshotCrc, true);
  view.setBigUint64(16, BigInt(header.generation), true);
  view.setBigUint64(24, BigInt(header.firstSequence), true);
  view.setBigUint64(32, BigInt(header.snapshotBytes), true);
  view.setUint32(headerBytes - 4, crc32c(bytes.subarray(0, headerBytes - 4)), true);
  return bytes;
}

function decodeHeader(file: string, bytes: Uint8Array): JournalHeader {
  if (bytes.length < headerBytes) throw damage(file, bytes.length, "its header is cut short");
  const view = viewOf(bytes);
  if (view.getUint32(headerBytes - 4, true) !== crc32c(bytes.subarray(0, headerBytes - 4))) {
    throw damage(file, 0, "the checksum of its header is wrong");
  }
  if (magic.some((byte, index) => bytes[index] !== byte)) throw damage(file, 0, "it is not a journal");
  const version = view.getUint32(8, true);
  if (version !== formatVersion)
    throw laterRelease(`${file} is of format ${version}, this build reads ${formatVersion}`);
  return {
    generation: Number(view.getBigUint64(16, true)),
    firstSequence: Number(view.getBigUint64(24, true)),
    snapshotBytes: Number(view.getBigUint64(32, true)),
    snapshotCrc: view.getUint32(12, true),
  };
}

/** Layout, little-endian: payload length 4, CRC 4 over everything else (including the length), sequence 8, payload. */
export function encodeRecord(sequence: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(recordHeadBytes + payload.length);
  const view = viewOf(bytes);
  view.setUint32(0, payload.length, true);
  view.setBigUint64(8, BigInt(sequence), true);
  bytes.set(payload, recordHeadBytes);
  view.setUint32(4, recordCrc(bytes), true);
  return bytes;
}

function recordCrc(record: Uint8Array): number {
  return crc32c(record.subarray(8), crc32c(record.subarray(0, 4)));
}

/** The record at `offset` if it is valid and its sequence is at least `from`. */
function recordAt(bytes: Uint8Array, view: DataView, offset: number, from: number): JournalRecord | null {
  if (offset + recordHeadBytes >= bytes.length) return null;
  const length = view.getUint32(offset, true);
  if (length === 0 || offset + recordHeadBytes + length > bytes.length) return null;
  const sequence = Number(view.getBigUint64(offset + 8, true));
  // A journal has fewer records than bytes. This check avoids a checksum for nearly every wrong offset.
  if (sequence < from || sequence > from + bytes.length) return null;
  const record = bytes.subarray(offset, offset + recordHeadBytes + length);
  if (view.getUint32(offset + 4, true) !== recordCrc(record)) return null;
  return { sequence, offset, payload: record.subarray(recordHeadBytes) };
}

/** A loop, because `some` with a callback is slow on a megabyte. */
function onlyZeros(bytes: Uint8Array, from: number): boolean {
  for (let i = from; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

/**
 * Reads a journal. After the last valid record come zeros (end), invalid data only (torn record), or a valid record again (damage).
 * Damage throws `internal` with `{code: "storage-damaged", file, offset}`.
 */
export function scanJournal(file: string, bytes: Uint8Array): JournalScan {
  const header = decodeHeader(file, bytes);
  const view = viewOf(bytes);
  const records: JournalRecord[] = [];
  let offset = headerBytes;
  let sequence = header.firstSequence;
  for (;;) {
    const record = recordAt(bytes, view, offset, sequence);
    if (record === null || record.sequence !== sequence) break;
    records.push(record);
    offset += recordHeadBytes + record.payload.length;
    sequence++;
  }
  const torn = !onlyZeros(bytes, offset);
  for (let later = offset; torn && later < bytes.length; later++) {
    const good = recordAt(bytes, view, later, sequence);
    if (good === null) continue;
    throw damage(
      file,
      offset,
      `record ${sequence} is unreadable, record ${good.sequence} at ${later} is not`,
    );
  }
  return { header, records, endOffset: offset, torn };
}

type Encoded = number | string | null | { blob: string };

/** A transaction's statements as JSON, which is faster than v8.serialize. A blob becomes `{"blob": base64}`. */
export function encodeStatements(statements: Statement[]): string {
  return JSON.stringify(statements.map(([sql, values]) => [sql, values.map(encodeValue)]));
}

function encodeValue(value: SqlValue): Encoded {
  return value instanceof Uint8Array ? { blob: Buffer.from(value).toString("base64") } : value;
}

export function encodePayload(transactions: string[]): Uint8Array {
  return Buffer.from(`[${transactions.join(",")}]`);
}

type Element = [sql: string, values: Encoded[]][] | { seal: Seal };

function parsePayload(payload: Uint8Array): Element[] {
  return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8"));
}

export function decodePayload(payload: Uint8Array): Statement[][] {
  return parsePayload(payload)
    .filter((element) => Array.isArray(element))
    .map((statements) => statements.map(([sql, values]) => [sql, values.map(decodeValue)]));
}

export function encodeSeal(seal: Seal): string {
  return JSON.stringify({ seal });
}

// No transaction contains this, because JSON escapes quotation marks in its texts.
const sealStart = Buffer.from('{"seal":');

export function findSeal(records: readonly JournalRecord[], generation: number): Seal | null {
  for (const { payload } of records) {
    if (Buffer.from(payload.buffer, payload.byteOffset, payload.length).indexOf(sealStart) < 0) continue;
    for (const element of parsePayload(payload)) {
      if (!Array.isArray(element) && element.seal.generation === generation) return element.seal;
    }
  }
  return null;
}

function decodeValue(value: Encoded): SqlValue {
  if (typeof value !== "object" || value === null) return value;
  return new Uint8Array(Buffer.from(value.blob, "base64"));
}
