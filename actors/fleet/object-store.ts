/** Where the archive store keeps its objects. */

import type { StoredArchive } from "../../protocol/fleet.ts";

/** Where objects are. Errors are faults in words: `not-found`, `internal`. */
export interface ObjectStore {
  /** Shown to users: without secrets. */
  place: string;
  put(archive: StoredArchive, file: string): Promise<void>;
  /** Into the new file. */
  get(archive: StoredArchive, file: string): Promise<void>;
  /** A missing one is no error. */
  remove(key: string): Promise<void>;
}
