/** Formats replies for people: lists as tables, records line by line. */
import { forOneLine } from "../../protocol/clean-text.ts";
import { columnsOf, padded, table } from "./output.ts";

type Fields = Record<string, unknown>;

const cellColumnsMax = 48;

export function show(value: unknown): string {
  if (Array.isArray(value)) return showList(value);
  if (isFields(value)) return showRecord(value);
  return plain(value);
}

function showList(items: unknown[]): string {
  if (items.length === 0) return "none";
  if (!items.every(isFields)) return items.map(plain).join("\n");
  const rows = items.map((item) => inUse(flat(item, true)));
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((column) =>
    rows.some((row) => tells(column, row[column])),
  );
  return table(
    columns.map((column) => heading(column)),
    rows.map((row) => columns.map((column) => cut(cell(row[column])))),
  );
}

function showRecord(record: Fields): string {
  const short: string[][] = [];
  const long: string[] = [];
  for (const [name, value] of Object.entries(flat(record))) {
    if (typeof value === "string" && value.includes("\n")) long.push(`${name}:\n${value}`);
    else if (isFields(value)) long.push(`${name}:\n${JSON.stringify(value, null, 2)}`);
    else if (Array.isArray(value) && value.length > 0 && value.every(isFields)) {
      long.push(`${name}:\n${showList(value)}`);
    } else short.push([forOneLine(name), isEmpty(value) ? "none" : forOneLine(cell(value))]);
  }
  const width = Math.max(0, ...short.map(([name = ""]) => columnsOf(name)));
  const lines = short.map(([name = "", value = ""]) => `${padded(name, width)}  ${value}`.trimEnd());
  return [...(lines.length > 0 ? [lines.join("\n")] : []), ...long].join("\n\n");
}

/** Nested simple records become fields such as `proxy.host`; with `whole` also records that have an id, such as a profile. */
function flat(record: Fields, whole = false): Fields {
  const fields: Fields = Object.create(null); // A script may name a field `toString` or `__proto__`.
  for (const [name, value] of Object.entries(record)) {
    const nested = isFields(value) && whole && typeof value.id === "string" ? flat(value) : value;
    if (isFields(nested) && Object.values(nested).every((inner) => !isFields(inner))) {
      for (const [inner, innerValue] of Object.entries(nested)) fields[`${name}.${inner}`] = innerValue;
    } else fields[name] = value;
  }
  return fields;
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Without the fields of a nested record that is off: its type would read as if it were on. */
function inUse(fields: Fields): Fields {
  const isOn = ([name]: [string, unknown]) => fields[name.replace(/[^.]*$/, "enabled")] !== false;
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(fields).filter(isOn)));
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return plain(value);
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Hides columns that are empty in every row, and nested ones that are only zero or false. */
function tells(column: string, value: unknown): boolean {
  return cell(value) !== "" && !(column.includes(".") && (value === false || value === 0));
}

function heading(column: string): string {
  return forOneLine(column.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toUpperCase());
}

/** At most so many columns of a terminal; a character that is made of several stays whole. */
function cut(text: string): string {
  const line = forOneLine(text);
  if (columnsOf(line) <= cellColumnsMax) return line;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (columnsOf(kept + segment) >= cellColumnsMax) break;
    kept += segment;
  }
  return `${kept}…`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
