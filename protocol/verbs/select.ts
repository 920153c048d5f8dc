/** The verb select. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { PageReply, TabOption, Verb } from "../verb.ts";

export interface SelectBody extends TabOption {
  /** A select, a listbox, a combobox, or a field with a datalist. */
  node_id: Count;
  /** The options to choose, by value or label. Others are no longer chosen. `[]` clears a list of several. */
  values: string[] & tags.MaxItems<1000>;
}

export interface SelectReply extends PageReply {
  /** The values of the chosen options; where an option has none, its label. */
  values: string[];
}

export const verb = {
  method: "POST",
  access: "write",
  place: 46,
  summary: "Choose options of a list",
  description:
    "A select takes them as from its own list, with input and change events. In other lists the options are clicked; a closed one is opened first.",
  conflict:
    "the element is gone, hidden or no list, an option is missing or disabled, or the page does not keep the choice",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<SelectBody>;
