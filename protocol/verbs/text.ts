/** The verb text. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { PageReply, TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/text`: without parameters, the whole page as Markdown. */
export interface TextQuery extends TabOption {
  /** Default markdown. */
  format?: "markdown" | "text";
  /** Only this element and its content. From a snapshot or wait-for-element. */
  node_id?: Count;
  /** Cuts the text after this many characters, at a line; a last line says so. */
  max_chars?: number & tags.Type<"uint32"> & tags.Minimum<1>;
}

export interface TextReply extends PageReply {
  text: string;
}

export const verb = {
  method: "GET",
  access: "read",
  place: 22,
  summary: "What a person reads of the page, as Markdown or plain text",
  description:
    "Only what is shown, with frames and open shadow roots, and the values of fields but passwords.",
  conflict: "the element is gone, or the page has more than 8 million characters",
  replyText: "The text.",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<TextQuery>;
