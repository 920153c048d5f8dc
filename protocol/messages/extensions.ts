/** The library's unpacked extensions. */
import type { Extension, ExtensionId, LaunchExtension } from "../extensions.ts";

/** `dir` is for the user only. */
export interface AddedExtension extends Extension {
  dir: string;
}

export interface ExtensionCalls {
  /** Throws `invalid` (no absolute path, or no extension there that loads), `conflict` (too many, or one with this id). */
  addExtension(input: { dir: string }): Promise<AddedExtension>;
  /** Running browsers keep it. Throws `not-found`. */
  removeExtension(input: { extensionId: ExtensionId }): Promise<null>;
  listExtensions(input: Record<string, never>): Promise<AddedExtension[]>;
  /** Throws `not-found`, `conflict` (one that does not load). */
  launchExtensions(input: { ids: ExtensionId[] }): Promise<LaunchExtension[]>;
}
