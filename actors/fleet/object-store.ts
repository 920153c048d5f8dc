/** Where the archive store keeps its objects. */

import { Fault } from "../../protocol/faults.ts";
import type { StoredArchive } from "../../protocol/fleet.ts";

/** Where objects are. Errors are faults in words: `not-found`, `internal`. */
export interface ObjectStore {
  /** Shown to users: without secrets. */
  place: string;
  /** Throws `invalid`: a package is missing. */
  load(): Promise<void>;
  put(archive: StoredArchive, file: string): Promise<void>;
  /** Into the new file. */
  get(archive: StoredArchive, file: string): Promise<void>;
  /** A missing one is no error. */
  remove(key: string): Promise<void>;
}

const lostCode = "archive-lost";

export function notStored(key: string, place: string): Fault {
  return new Fault("not-found", `${key} is not in the archive store ${place}`, { code: lostCode });
}

export function damaged(key: string, place: string): Fault {
  const message = `${key} in ${place} is damaged: it is not the archive that was stored`;
  return new Fault("invalid", message, { code: lostCode });
}

/** Whether trying again gives the same answer: the archive is missing or damaged. */
export function isLost({ detail }: Fault): boolean {
  return detail?.code === lostCode;
}
