/** The verb scroll. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { PageReply, TabOption, Verb } from "../verb.ts";

export interface ScrollBody extends TabOption {
  /** Pixels. Required without into_view. */
  amount?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100000>;
  /** Required without into_view. */
  direction?: "up" | "down" | "left" | "right";
  /** Scrolls this element, or the box around it that scrolls. */
  node_id?: Count;
  /** Only brings the element of node_id into view. */
  into_view?: boolean;
}

export interface ScrollReply extends PageReply {
  /** Pixels from the start of what has scrolled. */
  x: number;
  y: number;
  /** The largest x and y. */
  max_x: number;
  max_y: number;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 60,
  summary: "Scroll the page or an element by a number of pixels in one direction, or an element into view",
  conflict: "the element is gone, hidden or covered, or the page does not answer",
  invalid: "the body does not fit, or direction, amount or node_id is missing",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<ScrollBody>;
