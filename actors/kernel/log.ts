/** The log: one JSON line per event on stderr. Callers must not pass secrets. */

import { forTerminal } from "../../protocol/clean-text.ts";

type Fields = Record<string, unknown>;

/** Writes the events of one scope, usually a thread. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

const ranks = { debug: 10, info: 20, warn: 30, error: 40 } as const;
type Level = keyof typeof ranks;

/** A log for `scope`. The variable `TROUPE_LOG` sets the lowest level that is written: debug, info (default), warn, error. */
export function createLog(
  scope: string,
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const wanted = process.env.TROUPE_LOG ?? "info";
  const least = wanted in ranks ? ranks[wanted as Level] : ranks.info;
  const at = (level: Level) => (message: string, fields?: Fields) => {
    if (ranks[level] < least) return;
    const event = { at: new Date().toISOString(), level, scope, message };
    write(`${lineOf({ ...event, ...printable(fields) }) ?? lineOf(event)}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Null for a value that JSON cannot express, such as a circular object: logging must not throw. */
function lineOf(event: Fields): string | null {
  try {
    return forTerminal(JSON.stringify(event));
  } catch {
    return null;
  }
}

/** Replaces errors by their stack: they have no enumerable fields, so JSON would print `{}`. */
function printable(fields: Fields | undefined): Fields {
  if (fields === undefined) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}
