/** Rows of datasets as they come and as they go: checked against the columns, secret values sealed, opened again. */
import type { BadRow, DatasetColumn, NewDatasetColumn } from "../../protocol/datasets.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { StoredRow } from "../../storage/tables/datasets.ts";
import type { Vault } from "../../storage/vault.ts";

/** Bad rows that a fault names; the rest is counted. */
const namedMax = 3;

/** The columns with their defaults. Throws `invalid` when two have one name. */
export function columnsOf(given: readonly NewDatasetColumn[]): DatasetColumn[] {
  const names = new Set<string>();
  for (const { name } of given) {
    if (names.has(name)) {
      throw new Fault("invalid", `columns must have a name each, got ${JSON.stringify(name)} twice`);
    }
    names.add(name);
  }
  return given.map(({ name, secret = false }) => ({ name, secret }));
}

export interface CheckedRows {
  /** The values of each good row, in the order of the columns. */
  good: string[][];
  badRows: BadRow[];
}

/** Checks the bytes of a JSON array of rows. Throws `invalid` when there are rows and none is good. */
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
  throw new Fault("invalid", `rows must hold at least one good row: ${named.join("; ")}${more}`);
}

/** The row's values in the order of the columns, or what is wrong with it. No value is repeated: it may be secret. */
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
    // No character takes more than 3 bytes a unit: only long texts are counted.
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

const place = (datasetId: string, row: number, column: string) => `datasets/${datasetId}/${row}/${column}`;

/** The JSON that is stored of each row, its secrets sealed for the number that it gets. */
export function sealRows(
  vault: Vault,
  dataset: { id: string; columns: readonly DatasetColumn[]; rowsTotal: number },
  rows: readonly string[][],
): string[] {
  const secrets = dataset.columns.flatMap(({ name, secret }, index) => (secret ? [{ name, index }] : []));
  return rows.map((values, at) => {
    if (secrets.length === 0) return JSON.stringify(values);
    const kept = [...values];
    for (const { name, index } of secrets) {
      const sealed = vault.seal(values[index] ?? "", place(dataset.id, dataset.rowsTotal + 1 + at, name));
      kept[index] = Buffer.from(sealed).toString("base64");
    }
    return JSON.stringify(kept);
  });
}

/** A row's values by column name, without the secret ones. */
export function openValues(columns: readonly DatasetColumn[], { values }: StoredRow): Record<string, string> {
  const shown = columns.flatMap(({ name, secret }, index) => (secret ? [] : [[name, values[index] ?? ""]]));
  return Object.fromEntries(shown);
}

/** A row's values by column name, the secret ones opened. */
export function allValues(
  vault: Vault,
  dataset: { id: string; columns: readonly DatasetColumn[] },
  { row, values }: StoredRow,
): Record<string, string> {
  const opened = dataset.columns.map(({ name, secret }, index) => {
    const value = values[index] ?? "";
    return [name, secret ? vault.open(Buffer.from(value, "base64"), place(dataset.id, row, name)) : value];
  });
  return Object.fromEntries(opened);
}
