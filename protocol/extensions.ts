/** Unpacked extensions that the user has added, and that launches name (protocol/README.md, "Extensions"). */
import type { tags } from "typia";

/** The id that Chromium gives the extension, from the key in its manifest or from its directory. */
export type ExtensionId = string & tags.Pattern<"^[a-p]{32}$">;

export interface Extension {
  extension_id: ExtensionId;
  name: string;
  version: string;
  /** Why a launch would refuse it; absent: it would not. */
  error?: string;
}

/** For a launch. */
export interface LaunchExtension {
  id: ExtensionId;
  name: string;
  dir: string;
  /** It may change the browser's proxy. */
  changesProxy: boolean;
}
