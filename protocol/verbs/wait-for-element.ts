/** The verb wait-for-element. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count, Text } from "../scalars.ts";
import type { PageReply, TabOption, Verb } from "../verb.ts";

export interface WaitForElementBody extends TabOption {
  /** A CSS selector. */
  selector: Text;
  /** Default 10000; 0 looks once. */
  timeout_ms?: number & tags.Type<"uint32"> & tags.Maximum<120000>;
}

export interface WaitForElementReply extends PageReply {
  /** The first element that matches. */
  node_id: Count;
}

export const verb = {
  method: "POST",
  access: "read",
  place: 80,
  summary: "Wait until a CSS selector matches, and give the element's node id",
  conflict: "nothing matched in time",
  timeoutMs: limits.waitForElementMaxMs + limits.pageAnswerMs,
  timeoutOf: ({ timeout_ms: ms }) => (ms ?? limits.waitForElementDefaultMs) + limits.pageAnswerMs,
} as const satisfies Verb<WaitForElementBody>;
