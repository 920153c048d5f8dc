/** The verb snapshot. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Text } from "../scalars.ts";
import type { PageReply, TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/snapshot`: without parameters, the whole page. */
export interface SnapshotQuery extends TabOption {
  /** Only elements to act on, with the landmarks, names and headings around them. */
  interactive?: boolean;
  /** CSS selector: only its first match and the content of that, frames and open shadow roots included. */
  selector?: Text;
  /** Levels of lines below the first. What is left out is counted in place. */
  depth?: number & tags.Type<"uint32"> & tags.Minimum<1>;
  /** Only lines with this text or role, in any case, and the lines around them. */
  search?: Text;
  /** Adds `[box=x,y,width,height]` of each element, in CSS pixels of the tab. */
  boxes?: boolean;
  /** The version of an earlier snapshot with the same query: only lines that came (+), changed (~) or went (-). */
  since?: Text;
  /** Cuts the text after this many characters, at a line; a last line says so. */
  max_chars?: number & tags.Type<"uint32"> & tags.Minimum<1>;
}

export interface SnapshotReply extends PageReply {
  /** Indented text: one line per node, `[id=N]` on each element. The first line is the tab's title and URL. */
  snapshot: string;
  /** For since. */
  version: string;
  /** Only with since: that version is no longer known, or of another document or query, and this is all of it. */
  whole?: true;
}

export const verb = {
  method: "GET",
  access: "read",
  place: 20,
  summary: "Accessibility snapshot of the page as text, with [id=N] for each element",
  description: "Without query parameters it is the whole page; they select a part.",
  conflict: "nothing matches the selector",
  invalid: "the query does not fit; the selector is not CSS",
  replyText: "The page as text.",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<SnapshotQuery>;
