/** The verb console. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count, DateTime } from "../scalars.ts";
import type { MetDialogs, TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/console`: without parameters, the newest 100 messages. */
export interface ConsoleQuery extends TabOption {
  /** The cursor of an earlier reply: only later messages. */
  since?: Count;
  /** Default 100. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
  level?: "debug" | "info" | "log" | "warning" | "error";
}

export interface ConsoleMessage {
  tab_id: string;
  /** When the browser reported it. */
  at: DateTime;
  level: "debug" | "info" | "log" | "warning" | "error";
  /** console: written by a script; page: an error that nothing caught. */
  source: "console" | "page";
  /** At most 2,000 characters. */
  text: string;
  url?: string;
  line?: number;
}

export interface ConsoleReply extends MetDialogs {
  messages: ConsoleMessage[];
  /** For since. */
  cursor: number;
}

export const verb = {
  method: "GET",
  access: "read",
  place: 95,
  summary: "The page's last 1,000 console messages and errors that nothing caught",
  description:
    "Of all tabs, or of the one of tab_id. The first call has what the present pages wrote so far; errors are there from the next document on.",
  conflict: "the browser does not answer",
  replyText: "The messages.",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<ConsoleQuery>;
