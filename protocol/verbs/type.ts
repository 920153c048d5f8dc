/** The verb type. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { Verb } from "../verb.ts";

export interface TypeBody {
  node_id: Count;
  /** Typed at the caret after focusing the element; existing text stays. */
  text: string & tags.MaxLength<1048576>;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 40,
  summary: "Focus an element and type text",
  conflict: "the element is gone or cannot be typed into, or the text is not in it afterwards",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<TypeBody>;
