/** The verb scroll. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface ScrollBody extends TabOption {
  /** Pixels. */
  amount: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100000>;
  direction: "up" | "down" | "left" | "right";
}

export const verb = {
  method: "POST",
  access: "write",
  place: 60,
  summary: "Scroll the page by a number of pixels in one direction",
  conflict: "the page does not answer",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<ScrollBody>;
