/** Files that the pages of a profile have downloaded. */

import type { tags } from "typia";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

export interface Download {
  download_id: string;
  /** As the page named it, without a path. */
  name: string;
  url: string;
  state: "in_progress" | "completed" | "failed";
  /** Why it failed. */
  error?: string;
  /** Bytes so far. */
  size: Count;
  started_at: DateTime;
}

export interface DownloadParams {
  id: Uuid;
  /** From the list of downloads. */
  download_id: Text;
}

export interface ReadDownloadQuery {
  /** Waits this long for one in progress. Default 0. */
  wait_ms?: number & tags.Type<"uint32"> & tags.Maximum<600000>;
}

/** A completed file, to be read by the gateway. */
export interface DownloadedFile {
  path: string;
  name: string;
}

export interface DownloadShapes {
  DownloadParams: DownloadParams;
  ReadDownloadQuery: ReadDownloadQuery;
}
