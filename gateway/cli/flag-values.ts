/** Reads a flag's value from text, a file (`@`) or stdin (`-`) into the type of the wire. */
import { readFile } from "node:fs/promises";
import { buffer, text } from "node:stream/consumers";
import { recordsOf as recordsOfCsv } from "../../protocol/read-csv.ts";
import { parseCsv } from "./csv-file.ts";
import { WrongUsage } from "./output.ts";
import type { Flag } from "./route-flags.ts";

/** `given`: each use of the flag. Throws `WrongUsage`. */
export async function flagValue(flag: Flag, given: string[]): Promise<unknown> {
  const last = given.at(-1) ?? "";
  if (flag.nullable && last === "null") return null;
  if (flag.kind === "either") return last.startsWith("{") ? objectOf(flag, last) : last;
  if (flag.kind === "integer") return integerOf(last);
  if (flag.kind === "text") return last;
  const parts = await Promise.all(given.map((value) => sourceOf(flag, value)));
  if (flag.kind === "list") return parts.flatMap((part) => listOf(flag, part));
  if (flag.kind === "records") return (await Promise.all(parts.map((part) => recordsOf(flag, part)))).flat();
  if (flag.kind === "map") return Object.assign({}, ...parts.map((part) => mapOf(flag, part)));
  const [only, ...more] = parts;
  if (only === undefined || more.length > 0) throw new WrongUsage(`--${flag.name} is given more than once`);
  return objectOf(flag, only.text);
}

/** Leaves other text for the service, whose message says what it must be. */
function integerOf(given: string): unknown {
  return /^-?\d{1,15}$/.test(given) ? Number(given) : given;
}

interface Source {
  text: string;
  /** From a file or stdin: one value per line. */
  lines: boolean;
  /** The bytes of a CSV file; null: no such file. */
  csv: Uint8Array | null;
}

async function sourceOf(flag: Flag, given: string): Promise<Source> {
  if (given === "-") return { text: await text(process.stdin), lines: true, csv: null };
  if (!given.startsWith("@")) return { text: given, lines: false, csv: null };
  const bytes = await readGivenBytes(`--${flag.name}`, given.slice(1));
  return { text: bytes.toString("utf8"), lines: true, csv: /\.csv$/i.test(given) ? bytes : null };
}

/** The text of the file, `-` for stdin; `what` names the flag in messages. Throws `WrongUsage`. */
export async function readGiven(what: string, path: string): Promise<string> {
  return (await readGivenBytes(what, path)).toString("utf8");
}

/** As `readGiven`. */
export async function readGivenBytes(what: string, path: string): Promise<Buffer> {
  if (path === "-") return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    throw new WrongUsage(`${what}: ${unreadable(error, path)}`);
  }
}

export function unreadable(error: unknown, path: string): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOENT") return `${path} does not exist`;
  if (code === "EISDIR") return `${path} is a directory; name a file`;
  return error instanceof Error ? error.message : String(error);
}

function listOf(flag: Flag, { text: given, lines }: Source): string[] {
  if (given.trimStart().startsWith("[")) {
    const value = jsonOf(flag, given);
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw new WrongUsage(`--${flag.name} must be an array of strings`);
  }
  if (!lines && flag.secret) return [given];
  return given
    .split(lines ? /\r?\n/ : ",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function mapOf(flag: Flag, { text: given, lines }: Source): object {
  if (lines || given.trimStart().startsWith("{")) return objectOf(flag, given);
  return pairOf(`--${flag.name}`, given);
}

export function pairOf(flag: string, given: string): Record<string, string> {
  const at = given.indexOf("=");
  if (at < 1) throw new WrongUsage(`${flag} must be NAME=VALUE, got ${given.split("=")[0]}`);
  return { [given.slice(0, at)]: given.slice(at + 1) };
}

async function recordsOf(flag: Flag, { text: given, csv }: Source): Promise<unknown[]> {
  if (csv !== null) {
    const { columns, rows, badRows } = await parseCsv(`--${flag.name}`, csv);
    const [bad] = badRows;
    if (bad !== undefined)
      throw new WrongUsage(`--${flag.name}: row ${bad.row}: ${bad.error}; --csv leaves such rows out`);
    return recordsOfCsv(columns, rows);
  }
  const value = jsonOf(flag, given);
  return Array.isArray(value) ? value : [value];
}

function objectOf(flag: Flag, given: string): object {
  const value = jsonOf(flag, given);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new WrongUsage(`--${flag.name} must be a JSON object`);
}

function jsonOf(flag: Flag, given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    // The parser's message quotes the value, which may be a password.
    throw new WrongUsage(`--${flag.name} must be JSON text, @FILE or -`);
  }
}
