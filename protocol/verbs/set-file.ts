/** The verb set-file. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count, Text } from "../scalars.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface SetFileBody extends TabOption {
  /** A file input, its label, or an element that opens a file chooser when it is clicked. */
  node_id: Count;
  /** Relative to the application's uploads folder, and inside it even after links are resolved. */
  path: Text;
  /** Further files, for an input that takes several. A later call replaces the files that the input has. */
  more_paths?: Text[] & tags.MaxItems<99>;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 85,
  summary: "Attach files from the application's uploads folder to a file input",
  description: "A path that resolves outside the uploads folder, also through a link, is refused with 400.",
  conflict: "the element is gone, is not a file input and opens no file chooser, or takes one file only",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<SetFileBody>;
