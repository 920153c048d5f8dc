/** Validates dataset rows against their columns; seals and opens secret values. */
import type { BadRow, DatasetColumn, NewDatasetColumn } from "../../protocol/datasets.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { StoredRow } from "../../storage/tables/datasets.ts";
import type { Vault } from "../../storage/vault.ts";

const namedMax = 3;

/** The columns with their defaults. Throws `invalid` for a duplicate name. */
export function columnsOf(given: readonly NewDatasetColumn[]): DatasetColumn[] {
  const names = new Set<string>();
  for (const { name } of given) {
    if (names.has(name)) {
      throw new Fault("invalid", `columns must have different names, got ${JSON.stringify(name)} twice`);
    }
    if (name === "__proto__")
      throw new Fault("invalid", "columns: the name __proto__ is reserved; choose another");
    names.add(name);
  }
  return given.map(({ name, secret = false }) => ({ name, secret }));
}

export interface CheckedRows {
  good: string[][];
  badRows: BadRow[];
}

/** Validates the bytes of a JSON array of rows. Throws `invalid` if no row is valid, unless the array is empty. */
export function checkRows(columns: readonly DatasetColumn[], bytes: Uint8Array): CheckedRows {
  const rows: unknown[] = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"),
  );
  const names = columns.map((column) => column.name);
  const checked: CheckedRows = { good: [], badRows: [] };
  for (const [index, row] of rows.entries()) {
    const values = valuesOf(names, row);
    if (typeof values === "string") checked.badRows.push({ row: index + 1, error: values });
    else checked.good.push(values);
  }
  if (rows.length > 0 && checked.good.length === 0) refuseAll(checked.badRows);
  return checked;
}

function refuseAll(badRows: BadRow[]): never {
  const named = badRows.slice(0, namedMax).map(({ row, error }) => `row ${row}: ${error}`);
  const more = badRows.length > named.length ? `; and ${badRows.length - named.length} more` : "";
  throw new Fault("invalid", `rows must contain at least one valid row: ${named.join("; ")}${more}`);
}

/** The row's values in column order, or an error message. The message contains no value, because it may be secret. */
function valuesOf(names: readonly string[], row: unknown): string[] | string {
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    return `a row must be an object keyed by column name, got ${kindOf(row)}`;
  }
  const given = new Map<string, unknown>(Object.entries(row));
  const values: string[] = [];
  for (const name of names) {
    const value = given.get(name);
    if (value === undefined) return `column ${quoted(name)} is missing`;
    if (typeof value !== "string") {
      return `column ${quoted(name)} must be a string, got ${kindOf(value)}; convert it to text before sending`;
    }
    const most = limits.datasetValueBytesMax;
    // A UTF-16 unit has at most 3 bytes: only count the bytes of long texts.
    if (value.length * 3 > most && Buffer.byteLength(value) > most) {
      return `column ${quoted(name)} has ${Buffer.byteLength(value)} bytes, at most ${most} are allowed`;
    }
    values.push(value);
  }
  if (given.size > names.length) {
    const stray = [...given.keys()].find((key) => !names.includes(key)) ?? "";
    return `there is no column ${quoted(stray)}; the columns are ${names.map(quoted).join(", ")}`;
  }
  return values;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Rows sealed before other calls get a turn. */
const sealedAtOnce = 2_000;

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

const place = (datasetId: string, row: number) => `datasets/${datasetId}/${row}`;

function only<Of>(columns: readonly DatasetColumn[], secret: boolean, all: readonly Of[]): Of[] {
  return all.filter((_, index) => columns[index]?.secret === secret);
}

interface Numbered {
  id: string;
  columns: readonly DatasetColumn[];
  rowsTotal: number;
}

/**
 * The stored JSON of each row: open values in column order, then one sealed JSON text with all secret values, because sealing costs the
 * same for any length. Bound to the row's number. Lets other calls run before, between and after.
 */
export async function sealRows(
  vault: Vault,
  { id, columns, rowsTotal }: Numbered,
  rows: readonly string[][],
): Promise<string[]> {
  if (rows.length === 0) return [];
  await breathe();
  const stored = columns.some(({ secret }) => secret)
    ? await sealSecrets(vault, { id, columns, rowsTotal }, rows)
    : rows.map((values) => JSON.stringify(values));
  await breathe();
  return stored;
}

async function sealSecrets(
  vault: Vault,
  { id, columns, rowsTotal }: Numbered,
  rows: readonly string[][],
): Promise<string[]> {
  const stored: string[] = [];
  for (const values of rows) {
    const secrets = JSON.stringify(only(columns, true, values));
    const sealed = vault.seal(secrets, place(id, rowsTotal + 1 + stored.length));
    stored.push(JSON.stringify([...only(columns, false, values), Buffer.from(sealed).toString("base64")]));
    if (stored.length % sealedAtOnce === 0) await breathe();
  }
  return stored;
}

export function openValues(columns: readonly DatasetColumn[], { values }: StoredRow): Record<string, string> {
  const shown = only(columns, false, columns).map(({ name }, index) => [name, values[index] ?? ""]);
  return Object.fromEntries(shown);
}

export function allValues(
  vault: Vault,
  { id, columns }: { id: string; columns: readonly DatasetColumn[] },
  stored: StoredRow,
): Record<string, string> {
  const hidden = only(columns, true, columns);
  if (hidden.length === 0) return openValues(columns, stored);
  const sealed = stored.values.at(-1) ?? "";
  // A backup without secrets has none.
  const secrets: string[] =
    sealed === "" ? [] : JSON.parse(vault.open(Buffer.from(sealed, "base64"), place(id, stored.row)));
  const values = new Map([
    ...Object.entries(openValues(columns, stored)),
    ...hidden.map(({ name }, index): [string, string] => [name, secrets[index] ?? ""]),
  ]);
  return Object.fromEntries(columns.map(({ name }) => [name, values.get(name) ?? ""]));
}
