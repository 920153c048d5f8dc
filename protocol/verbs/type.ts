/** The verb type. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface TypeBody extends TabOption {
  node_id: Count;
  /** Typed at the caret after focusing the element; existing text stays. */
  text: string & tags.MaxLength<1048576>;
  /** Empties the whole field first. */
  clear?: boolean;
  /** Pause between two keys. All pauses together may take 30 s. */
  delay_ms?: number & tags.Type<"uint32"> & tags.Maximum<10000>;
  /** Presses Enter at the end. */
  submit?: boolean;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 40,
  summary: "Focus an element and type text",
  conflict: "the element is gone, cannot be typed into or emptied, or the text is not in it afterwards",
  invalid: "the body does not fit; the pauses of delay_ms take more than 30 s",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<TypeBody>;
