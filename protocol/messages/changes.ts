/** Change notices: a call that answers when something has changed. */

/** `live` is the running state of profiles. */
export type Topic =
  | "profiles"
  | "live"
  | "scripts"
  | "runs"
  | "schedules"
  | "proxies"
  | "datasets"
  | "webhooks"
  | "tokens"
  | "settings";

export interface ChangeCalls {
  /** Answers after a change since version `since`; for null at once, with the current version. */
  changes(input: { since: number | null }): Promise<{ version: number; topics: Topic[] }>;
}
