/** What has changed, told by those who hold it: a call that answers when there is something to tell. */

/** A kind of record. `live` is the running side of profiles. */
export type Topic =
  | "profiles"
  | "live"
  | "scripts"
  | "runs"
  | "schedules"
  | "proxies"
  | "datasets"
  | "tokens"
  | "settings";

export interface ChangesApi {
  /** Answers when something has changed since `since`; at once for null, with the version to go on from. */
  changes(input: { since: number | null }): Promise<{ version: number; topics: Topic[] }>;
}
