/** The verb drag. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { BoxPosition, TabOption, Verb } from "../verb.ts";

export interface DragBody extends TabOption {
  /** The element that is dragged. */
  from_node_id: Count;
  /** The element that it is dropped on. */
  to_node_id: Count;
  /** CSS pixels from the top left of the target's box. Default: its middle. */
  to_position?: BoxPosition;
  /** How long it is pressed before it moves, for lists that wait for that. Default 0. */
  hold_ms?: number & tags.Type<"uint32"> & tags.Maximum<10000>;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 44,
  summary: "Drag an element to another one with a real mouse",
  description:
    "For sliders, sortable lists and HTML5 drag and drop. Both elements must be visible and not covered.",
  conflict: "an element is gone, hidden or covered, or the page takes no drop",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<DragBody>;
