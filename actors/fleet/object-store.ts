/** Where the archive store keeps its objects. */

/** Where objects are. Errors are faults in words: `not-found`, `internal`. */
export interface ObjectStore {
  /** Shown to users: without secrets. */
  place: string;
  put(key: string, file: string, bytes: number): Promise<void>;
  /** Into the new file. */
  get(key: string, file: string): Promise<void>;
  /** A missing one is no error. */
  remove(key: string): Promise<void>;
}
