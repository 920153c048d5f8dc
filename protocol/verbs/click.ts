/** The verb click. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { BoxPosition, PageReply, TabOption, Verb } from "../verb.ts";

export interface ClickBody extends TabOption {
  /** From a snapshot or wait-for-element. */
  node_id: Count;
  /** Default left. */
  button?: "left" | "right" | "middle";
  /** 2 is a double click. Default 1. */
  count?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<3>;
  /** Held down during the click. */
  modifiers?: ("Alt" | "Control" | "Meta" | "Shift")[] & tags.MaxItems<4>;
  /** CSS pixels from the top left of its box. Default: a point that is painted, the middle first. */
  position?: BoxPosition;
}

export interface ClickReply extends PageReply {
  /** The element moves; it was clicked where it was. Absent: it stood still. */
  moving?: true;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 30,
  summary: "Click an element with a real mouse",
  description: "Scrolls it into view first. Refuses a hidden or covered element, naming what covers it.",
  conflict: "the element is gone, hidden or covered, or the first of several clicks changed it",
  invalid: "the body does not fit, or position lies outside the element's box",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<ClickBody>;
