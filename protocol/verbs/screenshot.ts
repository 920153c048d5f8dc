/** The verb screenshot. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/screenshot`: without parameters, what the tab shows, as png. */
export interface ScreenshotQuery extends TabOption {
  /** The whole page, not only what the tab shows of it. */
  full_page?: boolean;
  /** Only this element, scrolled into view. From a snapshot or wait-for-element. */
  node_id?: Count;
  /** Default png. */
  format?: "png" | "jpeg" | "webp";
  /** Of jpeg and webp, from 0 to 100; not with png, which loses nothing. */
  quality?: number & tags.Type<"uint32"> & tags.Maximum<100>;
  /** Shrinks a wider picture to this many pixels. */
  max_width?: number & tags.Type<"uint32"> & tags.Minimum<1>;
}

export const verb = {
  method: "GET",
  access: "read",
  place: 90,
  summary: "Picture of the page, or of one element",
  description:
    "Without parameters what the tab shows, as png. At most 16,384 pixels a side and 50 million in all.",
  conflict:
    "the element is gone or hidden, or the picture is larger than 16,384 pixels a side or 50 million in all",
  invalid: "the query does not fit; quality is given with png, or node_id with full_page",
  replyText: "The picture.",
  mediaTypes: ["image/png", "image/jpeg", "image/webp"],
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<ScreenshotQuery>;
