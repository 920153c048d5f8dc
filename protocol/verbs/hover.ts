/** The verb hover. */
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { BoxPosition, PageReply, TabOption, Verb } from "../verb.ts";

export interface HoverBody extends TabOption {
  /** From a snapshot or wait-for-element. */
  node_id: Count;
  /** CSS pixels from the top left of its box. Default: its middle. */
  position?: BoxPosition;
}

export interface HoverReply extends PageReply {
  /** The element moves; the mouse is where it was. Absent: it stood still. */
  moving?: true;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 35,
  summary: "Move a real mouse over an element",
  description:
    "Opens menus and hints that show while the mouse is there. Scrolls it into view first. Refuses a hidden or covered element, naming what covers it.",
  conflict: "the element is gone, hidden or covered",
  invalid: "the body does not fit, or position lies outside the element's box",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<HoverBody>;
