/** The log: one JSON line per event. Callers must not pass secrets. */

import { forTerminal } from "../../protocol/clean-text.ts";
import { secretless } from "../../protocol/without-secrets.ts";
import { type LogLevel, levelOf, logLevels } from "./log-levels.ts";
import { currentTrail, fieldsOf } from "./trail.ts";

type Fields = Record<string, unknown>;

/** Writes the events of one scope, usually a thread. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/** A log for `scope`, from the level that `TROUPE_LOG` sets for it. A line names the request and the run that it belongs to. */
export function createLog(scope: string, write: (line: string) => void = toStderr): Log {
  const least = logLevels.indexOf(levelOf(scope));
  const at = (level: LogLevel) => {
    if (logLevels.indexOf(level) < least) return () => {};
    return (message: string, fields?: Fields) => {
      const event = { at: new Date().toISOString(), level, scope, message, ...fieldsOf(currentTrail()) };
      write(`${lineOf({ ...event, ...printable(fields) }) ?? lineOf(event)}\n`);
    };
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export function toStderr(text: string): void {
  process.stderr.write(text);
}

/** Null for a value that JSON cannot express, such as a circular object: logging must not throw. */
function lineOf(event: Fields): string | null {
  try {
    return forTerminal(JSON.stringify(event, secretless));
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
