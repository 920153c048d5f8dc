/** The verb click. */
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { PageReply, Verb } from "../verb.ts";

export interface ClickBody {
  /** From a snapshot or wait-for-element. */
  node_id: Count;
}

export interface ClickReply extends PageReply {
  /** The element does not stand still; it was clicked where it was. Absent: it stood still. */
  moving?: true;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 30,
  summary: "Click an element with a real mouse",
  description: "Scrolls it into view first. Refuses a hidden or covered element, naming what covers it.",
  conflict: "the element is gone, hidden or covered",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<ClickBody>;
