/** The verb press-key. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count, Text } from "../scalars.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface PressKeyBody extends TabOption {
  /** A sign such as `é`, a key of the UI Events standard such as `Enter` or `F5`, `Space`, or a chord such as `Control+Shift+K`. */
  key: Text;
  /** This element gets the focus first. From a snapshot or wait-for-element. Default: what has the focus. */
  node_id?: Count;
  /** How often. Default 1. */
  count?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100>;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 50,
  summary: "Press a key or a chord",
  description:
    "It reaches the page only: shortcuts of the browser do nothing (Control+T, F5; use reload, back and navigate).",
  conflict: "the element is gone or takes no focus, or the page does not answer",
  invalid: "the body does not fit; the key or a modifier has no such name",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<PressKeyBody>;
