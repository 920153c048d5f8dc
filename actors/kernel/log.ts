/** The log: one JSON line an event on stderr. Secrets are the caller's duty: they are never handed to it. */

import { forTerminal } from "../../protocol/clean-text.ts";

type Fields = Record<string, unknown>;

/** Writes events of one scope (a thread, mostly). */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

const ranks = { debug: 10, info: 20, warn: 30, error: 40 } as const;
type Level = keyof typeof ranks;

/** A log for `scope`; `TROUPE_LOG` (debug, info, warn, error; default info) sets the least level that is written. */
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

/** Null for what is no JSON, such as an object that holds itself: whoever logs is mending something, and must not fail at it. */
function lineOf(event: Fields): string | null {
  try {
    return forTerminal(JSON.stringify(event));
  } catch {
    return null;
  }
}

/** Errors have no enumerable fields, so JSON would print `{}`: give their stack instead. */
function printable(fields: Fields | undefined): Fields {
  if (fields === undefined) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}
